"""Finds the packages; `lazy/` and `kernels/` are installed as `jujunp.lazy`, `jujunp.kernels`."""

from setuptools import find_packages, setup

FOLDERS = {"jujunp": "jujunp", "jujunp.lazy": "lazy", "jujunp.kernels": "kernels"}

setup(
    package_dir=FOLDERS,
    packages=[
        name
        for package, folder in FOLDERS.items()
        for name in (package, *(f"{package}.{child}" for child in find_packages(folder)))
    ],
)
