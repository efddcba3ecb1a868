; A parcel service: couriers ride bicycles inside of a town, trains run between the stations.
;
; Tells  (at X P)        parcel, courier or train X is at place P
;        (in B V)        parcel B is on its way with courier or train V
;        (street P Q)    places P and Q are in one town; given for both ways
;        (line P Q)      a train runs from station P to station Q

(define (domain parcels)
  (:requirements :strips :typing)
  (:types parcel carrier - thing
          courier train - carrier
          station - place
          thing place)
  (:predicates (at ?thing - thing ?place - place)
               (in ?parcel - parcel ?carrier - carrier)
               (street ?from ?to - place)
               (line ?from ?to - station))

  (:action load
    :parameters (?parcel - parcel ?carrier - carrier ?place - place)
    :precondition (and (at ?parcel ?place) (at ?carrier ?place))
    :effect (and (in ?parcel ?carrier) (not (at ?parcel ?place))))

  (:action unload
    :parameters (?parcel - parcel ?carrier - carrier ?place - place)
    :precondition (and (in ?parcel ?carrier) (at ?carrier ?place))
    :effect (and (at ?parcel ?place) (not (in ?parcel ?carrier))))

  (:action ride
    :parameters (?courier - courier ?from ?to - place)
    :precondition (and (at ?courier ?from) (street ?from ?to))
    :effect (and (at ?courier ?to) (not (at ?courier ?from))))

  (:action run
    :parameters (?train - train ?from ?to - station)
    :precondition (and (at ?train ?from) (line ?from ?to))
    :effect (and (at ?train ?to) (not (at ?train ?from)))))
