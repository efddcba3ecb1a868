; Twelve lamps; two buttons are stuck.
; Fewest steps 5, fewest actions 9.

(define (problem lamps-3)
  (:domain lamps)
  (:objects
    b11 b12 b13 b14 b21 b22 b23 b24 b31 b32 b33 b34 - button l11 l12 l13 l14 l21 l22 l23
    l24 l31 l32 l33 l34 - lamp)
  (:init
    (lit l14) (lit l24) (lit l31) (lit l33) (lit l34)
    (wired b11 l11) (wired b11 l21) (wired b11 l12)
    (wired b12 l12) (wired b12 l22) (wired b12 l11) (wired b12 l13)
    (wired b13 l13) (wired b13 l23) (wired b13 l12) (wired b13 l14)
    (wired b14 l14) (wired b14 l24) (wired b14 l13)
    (wired b21 l21) (wired b21 l11) (wired b21 l31) (wired b21 l22)
    (wired b22 l22) (wired b22 l12) (wired b22 l32) (wired b22 l21) (wired b22 l23)
    (wired b23 l23) (wired b23 l13) (wired b23 l33) (wired b23 l22) (wired b23 l24)
    (wired b24 l24) (wired b24 l14) (wired b24 l34) (wired b24 l23)
    (wired b31 l31) (wired b31 l21) (wired b31 l32)
    (wired b32 l32) (wired b32 l22) (wired b32 l31) (wired b32 l33)
    (wired b33 l33) (wired b33 l23) (wired b33 l32) (wired b33 l34)
    (wired b34 l34) (wired b34 l24) (wired b34 l33)
    (stuck b22) (holds l11 b22) (holds l34 b22)
    (stuck b23) (holds l21 b23) (holds l14 b23) (holds l32 b23))
  (:goal (forall (?lamp - lamp) (not (lit ?lamp)))))
