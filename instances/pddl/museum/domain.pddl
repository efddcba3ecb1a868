; A guide shows rooms of a museum, whose lamps he switches from afar: constraints and preferences.

(define (domain museum)
  (:requirements :adl :constraints :preferences)
  (:types room)
  (:predicates (at ?r - room) (door ?r ?s - room) (lit ?r - room) (shown ?r - room))
  (:action walk
    :parameters (?r ?s - room)
    :precondition (and (at ?r) (door ?r ?s))
    :effect (and (not (at ?r)) (at ?s)))
  (:action light
    :parameters (?r - room)
    :precondition (not (lit ?r))
    :effect (lit ?r))
  (:action darken
    :parameters (?r - room)
    :precondition (lit ?r)
    :effect (not (lit ?r)))
  (:action show
    :parameters (?r - room)
    :precondition (and (at ?r) (preference dark (not (lit ?r))))
    :effect (shown ?r)))
