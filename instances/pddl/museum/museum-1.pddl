; The vault is not to be entered in the dark, and lamps had better be saved.
; Fewest steps 4, fewest actions 4; best metric 0 with 6 actions.

(define (problem museum-1)
  (:domain museum)
  (:objects hall vault - room)
  (:init (at hall) (door hall vault) (door vault hall))
  (:goal (and (shown vault)
              (preference saving (forall (?r - room) (not (lit ?r))))))
  (:constraints (and
    (always (imply (at vault) (lit vault)))
    (sometime-before (shown vault) (shown hall))
    (forall (?r - room) (preference once (at-most-once (lit ?r))))
    (preference home (at end (at hall)))))
  (:metric minimize (+ (* 3 (is-violated saving)) (* 2 (is-violated home)) (is-violated once))))
