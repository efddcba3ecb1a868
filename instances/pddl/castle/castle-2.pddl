; Six rooms, three keys: one of them fits two doors, but opens only one.
; Fewest steps 5, fewest actions 5, least cost 18.

(define (problem castle-2)
  (:domain castle)
  (:objects
    yard hall library chapel kitchen vault - room gate oak iron low grate arch - door brass
    silver gold - key crown - crown)
  (:init
    (thief yard) (guard chapel) (open iron) (open arch)
    (lies brass yard) (lies silver hall) (lies gold library) (lies crown vault)
    (joins gate yard hall) (joins oak hall library) (joins iron library chapel)
    (joins low hall kitchen) (joins grate kitchen vault) (joins arch vault chapel)
    (fits brass gate) (fits brass oak) (fits silver oak) (fits silver low)
    (fits gold grate)
    (= (total-cost) 0) (= (noise gate) 8) (= (noise oak) 9) (= (noise iron) 20)
    (= (noise low) 6) (= (noise grate) 15) (= (noise arch) 20))
  (:goal (carried crown))
  (:metric minimize (total-cost)))
