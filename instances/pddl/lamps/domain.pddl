; A board of buttons and lamps: a button turns each lamp that it is wired to on or off.
;
; All effects of a press read the state before it: one universal effect with two conditions.
;
; Tells  (lit L)        lamp L is on
;        (wired B L)    button B is wired to lamp L
;        (stuck B)      button B cannot be pressed before the lamps that hold it are all on
;        (holds L B)    lamp L holds the stuck button B

(define (domain lamps)
  (:requirements :adl)
  (:types button lamp)
  (:predicates (lit ?lamp - lamp)
               (wired ?button - button ?lamp - lamp)
               (stuck ?button - button)
               (holds ?lamp - lamp ?button - button))

  (:action press
    :parameters (?button - button)
    :precondition (not (stuck ?button))
    :effect (forall (?lamp - lamp)
              (and (when (and (wired ?button ?lamp) (not (lit ?lamp))) (lit ?lamp))
                   (when (and (wired ?button ?lamp) (lit ?lamp)) (not (lit ?lamp))))))

  (:action loosen
    :parameters (?button - button)
    :precondition (and (stuck ?button)
                       (forall (?lamp - lamp) (imply (holds ?lamp ?button) (lit ?lamp))))
    :effect (not (stuck ?button))))
