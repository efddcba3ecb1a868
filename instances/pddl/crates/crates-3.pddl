; Three crates, each with a place of its own.
; Fewest steps 22, fewest actions 22: the robot is in every action, so a step has one of them.
; A, B and C are named from the top; A goes to the left, B to the right, C to the lowest place.
; @ robot, $ crate, . place, # pillar.
;
;   -#---#
;   -#--$-
;   .--$-.
;   --@$--
;   ----.#

(define (problem crates-3)
  (:domain crates)
  (:objects
    A B C - crate r1 r2 r3 r4 r5 - row c1 c2 c3 c4 c5 c6 - column)
  (:init
    (robot-at r4 c3)
    (crate-at A r2 c5) (blocked r2 c5) (crate-at B r3 c4) (blocked r3 c4)
    (crate-at C r4 c4) (blocked r4 c4)
    (blocked r1 c2) (blocked r1 c6) (blocked r2 c2) (blocked r5 c6)
    (beside r1 r2) (beside r2 r1) (beside r2 r3) (beside r3 r2)
    (beside r3 r4) (beside r4 r3) (beside r4 r5) (beside r5 r4)
    (beside c1 c2) (beside c2 c1) (beside c2 c3) (beside c3 c2)
    (beside c3 c4) (beside c4 c3) (beside c4 c5) (beside c5 c4)
    (beside c5 c6) (beside c6 c5))
  (:goal (and
    (crate-at A r3 c1) (crate-at B r3 c6) (crate-at C r5 c5))))
