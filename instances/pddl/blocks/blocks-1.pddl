; Sussman's anomaly: three blocks, of which the arm has to move one out of the way.
; Fewest steps 6, fewest actions 6.

(define (problem blocks-1)
  (:domain blocks)
  (:objects
    A B C - block)
  (:init
    (on-table A) (on C A) (clear C)
    (on-table B) (clear B)
    (arm-empty))
  (:goal (and
    (on B C) (on A B))))
