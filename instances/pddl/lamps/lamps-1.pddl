; Four lamps, all lit; a button turns its own lamp and those beside it.
; Fewest steps 4, fewest actions 4.

(define (problem lamps-1)
  (:domain lamps)
  (:objects
    b11 b12 b21 b22 - button l11 l12 l21 l22 - lamp)
  (:init
    (lit l11) (lit l12) (lit l21) (lit l22)
    (wired b11 l11) (wired b11 l21) (wired b11 l12)
    (wired b12 l12) (wired b12 l22) (wired b12 l11)
    (wired b21 l21) (wired b21 l11) (wired b21 l22)
    (wired b22 l22) (wired b22 l12) (wired b22 l21))
  (:goal (forall (?lamp - lamp) (not (lit ?lamp)))))
