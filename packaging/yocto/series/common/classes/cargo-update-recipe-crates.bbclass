# Adds no functions or variables that the recipes use.
