; One crate in a hall of four by four.
; Fewest steps 7, fewest actions 7.
; @ robot, $ crate, . its place, # pillar.
;
;   @---
;   -$--
;   --#-
;   ---.

(define (problem crates-1)
  (:domain crates)
  (:objects
    A - crate r1 r2 r3 r4 - row c1 c2 c3 c4 - column)
  (:init
    (robot-at r1 c1)
    (crate-at A r2 c2) (blocked r2 c2)
    (blocked r3 c3)
    (beside r1 r2) (beside r2 r1) (beside r2 r3) (beside r3 r2)
    (beside r3 r4) (beside r4 r3)
    (beside c1 c2) (beside c2 c1) (beside c2 c3) (beside c3 c2)
    (beside c3 c4) (beside c4 c3))
  (:goal (and
    (crate-at A r4 c4))))
