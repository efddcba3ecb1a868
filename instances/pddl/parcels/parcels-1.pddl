; Two towns, a courier in each, a train between them; two parcels.
; Fewest steps 7, fewest actions 13.

(define (problem parcels-1)
  (:domain parcels)
  (:objects
    Ulm-station Bern-station - station Ulm-minster Ulm-port Bern-market Bern-mill - place
    Ida Max - courier express - train book hat - parcel)
  (:init
    (at Ida Ulm-minster) (at Max Bern-station) (at express Ulm-station)
    (at book Ulm-port) (at hat Bern-market)
    (street Ulm-station Ulm-minster) (street Ulm-station Ulm-port)
    (street Ulm-minster Ulm-station) (street Ulm-minster Ulm-port)
    (street Ulm-port Ulm-station) (street Ulm-port Ulm-minster)
    (street Bern-station Bern-market) (street Bern-station Bern-mill)
    (street Bern-market Bern-station) (street Bern-market Bern-mill)
    (street Bern-mill Bern-station) (street Bern-mill Bern-market)
    (line Ulm-station Bern-station) (line Bern-station Ulm-station))
  (:goal (and
    (at book Bern-mill) (at hat Bern-mill))))
