; Two balls go through one door.
; Fewest steps 2, fewest actions 5.

(define (problem gripper-1)
  (:domain gripper)
  (:objects
    kitchen hall - room red blue - ball left right - hand)
  (:init
    (robot-in kitchen) (empty left) (empty right)
    (door kitchen hall) (door hall kitchen)
    (ball-in red kitchen) (ball-in blue kitchen))
  (:goal (and
    (ball-in red hall) (ball-in blue hall))))
