; Ten rooms, six keys, and a guard who sees far.
; Fewest steps 4, fewest actions 4, least cost 24.

(define (problem castle-3)
  (:domain castle)
  (:objects
    yard hall library chapel kitchen cellar vault keep attic armoury - room gate oak iron
    low grate arch bar slit stair hatch well trap - door brass silver tin copper gold steel
    - key crown - crown)
  (:init
    (thief yard) (guard keep) (open bar) (open slit) (open hatch)
    (lies brass yard) (lies silver hall) (lies tin library) (lies copper kitchen)
    (lies gold attic) (lies steel armoury) (lies crown vault)
    (joins gate yard hall) (joins oak hall library) (joins iron library chapel)
    (joins low hall kitchen) (joins grate kitchen cellar) (joins arch cellar vault)
    (joins bar chapel keep) (joins slit vault keep) (joins stair library attic)
    (joins hatch attic keep) (joins well yard cellar) (joins trap attic armoury)
    (fits brass gate) (fits brass oak) (fits silver oak) (fits copper iron)
    (fits silver low) (fits tin low) (fits tin grate) (fits gold arch) (fits steel arch)
    (fits copper stair) (fits tin stair) (fits steel hatch) (fits gold trap)
    (= (total-cost) 0) (= (noise gate) 12) (= (noise oak) 9) (= (noise iron) 14)
    (= (noise low) 6) (= (noise grate) 11) (= (noise arch) 25) (= (noise bar) 18)
    (= (noise slit) 30) (= (noise stair) 7) (= (noise hatch) 16) (= (noise well) 21)
    (= (noise trap) 8))
  (:goal (carried crown))
  (:metric minimize (total-cost)))
