// Carries the precompiled header; see AddMercury.cmake.
