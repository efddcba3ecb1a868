; Nine lamps, all lit; the button in the centre is stuck until three corners are lit.
; Fewest steps 4, fewest actions 7.

(define (problem lamps-2)
  (:domain lamps)
  (:objects
    b11 b12 b13 b21 b22 b23 b31 b32 b33 - button l11 l12 l13 l21 l22 l23 l31 l32 l33 - lamp)
  (:init
    (lit l12) (lit l13) (lit l21) (lit l22) (lit l23) (lit l31) (lit l32) (lit l33)
    (wired b11 l11) (wired b11 l21) (wired b11 l12)
    (wired b12 l12) (wired b12 l22) (wired b12 l11) (wired b12 l13)
    (wired b13 l13) (wired b13 l23) (wired b13 l12)
    (wired b21 l21) (wired b21 l11) (wired b21 l31) (wired b21 l22)
    (wired b22 l22) (wired b22 l12) (wired b22 l32) (wired b22 l21) (wired b22 l23)
    (wired b23 l23) (wired b23 l13) (wired b23 l33) (wired b23 l22)
    (wired b31 l31) (wired b31 l21) (wired b31 l32)
    (wired b32 l32) (wired b32 l22) (wired b32 l31) (wired b32 l33)
    (wired b33 l33) (wired b33 l23) (wired b33 l32)
    (stuck b22) (holds l11 b22) (holds l13 b22) (holds l31 b22))
  (:goal (forall (?lamp - lamp) (not (lit ?lamp)))))
