; A courier on a bicycle with a motor brings parcels about a town. Its battery gives the way; at
; home it is charged, a unit at a time. What it carries must not be too heavy together.
(define (domain courier)
  (:requirements :typing :numeric-fluents)
  (:types place parcel - object)
  (:predicates (at ?p - place)
               (home ?p - place)
               (waiting ?x - parcel ?p - place)
               (carried ?x - parcel)
               (delivered ?x - parcel)
               (address ?x - parcel ?p - place))
  (:functions (battery)
              (capacity)
              (load)
              (weight ?x - parcel)
              (way ?p ?q - place))

  (:action ride
    :parameters (?p ?q - place)
    :precondition (and (at ?p) (>= (battery) (way ?p ?q)))
    :effect (and (not (at ?p)) (at ?q) (decrease (battery) (way ?p ?q))))

  (:action charge
    :parameters (?p - place)
    :precondition (and (at ?p) (home ?p) (<= (battery) (- (capacity) 1)))
    :effect (increase (battery) 1))

  (:action take
    :parameters (?x - parcel ?p - place)
    :precondition (and (at ?p) (waiting ?x ?p) (<= (+ (load) (weight ?x)) 5))
    :effect (and (not (waiting ?x ?p)) (carried ?x) (increase (load) (weight ?x))))

  (:action deliver
    :parameters (?x - parcel ?p - place)
    :precondition (and (at ?p) (carried ?x) (address ?x ?p))
    :effect (and (not (carried ?x)) (delivered ?x) (decrease (load) (weight ?x)))))
