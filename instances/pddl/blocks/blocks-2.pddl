; Seven blocks at random.
; Fewest steps 12, fewest actions 12.

(define (problem blocks-2)
  (:domain blocks)
  (:objects
    A B C D E F G - block)
  (:init
    (on-table G) (on C G) (on E C) (clear E)
    (on-table D) (on A D) (clear A)
    (on-table B) (clear B)
    (on-table F) (clear F)
    (arm-empty))
  (:goal (and
    (on G E) (on A G) (on C A) (on B C))))
