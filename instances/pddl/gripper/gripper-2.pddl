; Four balls in a row of three rooms.
; Fewest steps 7, fewest actions 13.

(define (problem gripper-2)
  (:domain gripper)
  (:objects
    kitchen hall garden - room red blue green gold - ball left right - hand)
  (:init
    (robot-in hall) (empty left) (empty right)
    (door kitchen hall) (door hall kitchen) (door hall garden) (door garden hall)
    (ball-in red kitchen) (ball-in blue kitchen) (ball-in green garden)
    (ball-in gold garden))
  (:goal (and
    (ball-in red garden) (ball-in blue garden) (ball-in green kitchen) (ball-in gold hall))))
