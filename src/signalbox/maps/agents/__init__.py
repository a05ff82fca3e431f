"""The built-in agent types of maps. `signalbox.maps.registry` knows them by name and loads them when used."""
