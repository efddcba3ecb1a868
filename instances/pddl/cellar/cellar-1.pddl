; Two matches, three fuses.
; Fewest actions 5; the last one ends at 13.002.

(define (problem cellar-1)
  (:domain cellar)
  (:objects long short - match
            kitchen hall attic - fuse)
  (:init (hand-free)
         (unused long) (= (burns long) 8)
         (unused short) (= (burns short) 5)
         (= (work kitchen) 4) (= (work hall) 3.5) (= (work attic) 3))
  (:goal (and (mended kitchen) (mended hall) (mended attic)))
  (:metric minimize (total-time)))
