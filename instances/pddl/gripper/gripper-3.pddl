; Eight balls in a ring of four rooms.
; Fewest steps 11, fewest actions 24.

(define (problem gripper-3)
  (:domain gripper)
  (:objects
    kitchen hall garden cellar - room red blue green gold black white grey pink - ball left
    right - hand)
  (:init
    (robot-in kitchen) (empty left) (empty right)
    (door kitchen hall) (door hall kitchen) (door hall garden) (door garden hall)
    (door garden cellar) (door cellar garden) (door cellar kitchen) (door kitchen cellar)
    (ball-in red kitchen) (ball-in blue kitchen) (ball-in green kitchen)
    (ball-in gold hall) (ball-in black hall) (ball-in white garden) (ball-in grey garden)
    (ball-in pink cellar))
  (:goal (and
    (ball-in red garden) (ball-in blue garden) (ball-in green cellar) (ball-in gold cellar)
    (ball-in black kitchen) (ball-in white kitchen) (ball-in grey hall) (ball-in pink hall))))
