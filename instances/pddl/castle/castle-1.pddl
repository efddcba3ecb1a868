; Three rooms: the door to the guard has to be shut before the crown is taken.
; Fewest steps 3, fewest actions 3, least cost 5.

(define (problem castle-1)
  (:domain castle)
  (:objects
    hall library tower - room oak iron - door brass - key crown - crown)
  (:init
    (thief hall) (guard tower) (open iron)
    (lies brass hall) (lies crown library)
    (joins oak hall library) (joins iron library tower)
    (fits brass oak) (fits brass iron)
    (= (total-cost) 0) (= (noise oak) 9) (= (noise iron) 20))
  (:goal (carried crown))
  (:metric minimize (total-cost)))
