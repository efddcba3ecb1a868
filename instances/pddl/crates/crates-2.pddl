; Two crates, either of which may go to either place.
; Fewest steps 21, fewest actions 21.
; @ robot, $ crate, . place, # pillar.
;
;   @----#
;   -$-#--
;   --#-$-
;   -----.
;   #-.---

(define (problem crates-2)
  (:domain crates)
  (:objects
    A B - crate r1 r2 r3 r4 r5 - row c1 c2 c3 c4 c5 c6 - column)
  (:init
    (robot-at r1 c1)
    (crate-at A r2 c2) (blocked r2 c2) (crate-at B r3 c5) (blocked r3 c5)
    (blocked r1 c6) (blocked r2 c4) (blocked r3 c3) (blocked r5 c1)
    (beside r1 r2) (beside r2 r1) (beside r2 r3) (beside r3 r2)
    (beside r3 r4) (beside r4 r3) (beside r4 r5) (beside r5 r4)
    (beside c1 c2) (beside c2 c1) (beside c2 c3) (beside c3 c2)
    (beside c3 c4) (beside c4 c3) (beside c4 c5) (beside c5 c4)
    (beside c5 c6) (beside c6 c5))
  (:goal (and
    (exists (?crate - crate) (crate-at ?crate r4 c6))
    (exists (?crate - crate) (crate-at ?crate r5 c3)))))
