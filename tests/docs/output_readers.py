"""Opens the files that the program of docs/output.md has written with the libraries of others:
output_readers.py LIBRARY, one of numpy, h5py, netCDF4, xarray, PIL, vtk. Exits with 77 where it is not installed."""
import sys

NX, NY, STEPS = 96, 64, 200


def read_numpy():
    import numpy

    rows = numpy.genfromtxt("wave.csv", delimiter=",", names=True)
    assert len(rows.dtype.names) == 3 and list(rows["time"]) == [0, 1, 2], rows
    for step in range(3):
        u = numpy.load(f"wave-{step}.npy")
        assert u.shape == (NY, NX) and u.dtype == numpy.float64
        most = rows[rows.dtype.names[2]][step]
        assert abs(u).max() == most, (abs(u).max(), most)


def read_h5py():
    import h5py
    import numpy

    with h5py.File("wave.h5") as file:
        u = file["u"]
        assert u.shape == (NY, NX) and u.attrs["time"] == 2
        assert u.attrs["units"].decode() == "Pa"
        assert list(u.attrs["spacing"]) == [0.5, 0.5] and list(u.attrs["origin"]) == [0, 0]
        last = u[:]
    with h5py.File("wave.vtkhdf") as file:
        steps = file["VTKHDF/Steps"]
        assert steps.attrs["NSteps"] == 11
        assert numpy.allclose(steps["Values"][:], numpy.arange(0, 2.1, 0.2))
        assert (file["VTKHDF/PointData/u"][10] == last).all()
    with h5py.File("probe.h5") as file:
        assert list(file["time"][:]) == [0, 1, 2]
        assert file["p"].shape == (3, 4) and file["p"].attrs["units"].decode() == "Pa"
        assert (file["p"][2] == last[32, 20:60:10]).all()


def read_netcdf4():
    import netCDF4

    with netCDF4.Dataset("flow.nc") as file:
        p, u = file["p"], file["u"]
        assert file.Conventions == "CF-1.8" and p.units == "Pa" and p.time == 1.5
        assert p.dimensions == ("y", "x") and u.dimensions == ("y", "x_face")
        assert list(file["x"][:]) == [10, 10.5, 11, 11.5, 12, 12.5] and file["x"].axis == "X"
        assert list(file["x_face"][:]) == [9.75 + 0.5 * i for i in range(7)]
        assert list(file["y"][:]) == [20, 20.5, 21, 21.5] and file["y"].axis == "Y"
        assert (p[:] == 1e5).all() and (u[:] == 2).all() and u.shape == (4, 7)


def read_xarray():
    import netCDF4  # xarray reads by it
    import xarray

    assert netCDF4
    with xarray.open_dataset("flow.nc") as file:
        assert set(file.coords) == {"x", "y", "x_face"} and set(file.data_vars) == {"p", "u"}
        assert file.p.sel(x=11, y=20) == 1e5 and file.u.sel(x_face=9.75).shape == (4,)


def read_pil():
    from PIL import Image

    film = Image.open("wave.apng")
    assert film.format == "PNG" and film.n_frames == 21 and film.size == (NX, NY)
    assert film.info["loop"] == 0
    for frame in range(film.n_frames):
        film.seek(frame)
        film.load()
        assert film.info["duration"] == 100, film.info
    blue, red = film.convert("RGB").getpixel((0, 0)), 0
    for step in range(5):
        picture = Image.open(f"wave-{step:03}.png")
        picture.load()
        assert picture.size == (NX, NY) and picture.mode == "RGB"
    film.seek(10)
    assert abs(sum(blue) - 3 * 221) < 10, blue  # far from the wave: the grey of the middle
    assert film.convert("RGB").tobytes() == Image.open("same.png").convert("RGB").tobytes()
    assert Image.open("nan.png").convert("RGB").getpixel((3, NY - 1)) == (255, 0, 255)


def open_vtk(path):
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    return reader


def read_vtk():
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkVersion

    version = (vtkVersion().GetVTKMajorVersion(), vtkVersion().GetVTKMinorVersion())
    reader = open_vtk("box.vtkhdf")  # staggered along y
    reader.Update()
    image = reader.GetOutput()
    assert image.GetDimensions() == (5, 5, 3) and image.GetOrigin() == (1, 1.75, 3)
    box = vtk_to_numpy(image.GetPointData().GetArray("box")).reshape(3, 5, 5)
    assert box[2, 3, 4] == 234
    if version < (9, 3):
        print(f"skipped: VTK {version[0]}.{version[1]} reads neither planes, cells nor steps; 9.3 does")
        return
    reader = open_vtk("cells.vtkhdf")
    reader.Update()
    image = reader.GetOutput()
    assert image.GetDimensions() == (NX + 1, NY + 1, 1), image.GetDimensions()
    assert image.GetBounds()[:4] == (-0.25, 47.75, -0.25, 31.75), image.GetBounds()
    u = vtk_to_numpy(image.GetCellData().GetArray("u")).reshape(NY, NX)
    corner = vtk_to_numpy(image.GetPointData().GetArray("corner")).reshape(NY + 1, NX + 1)
    assert corner[5, 7] == 7 + 100 * 5 and abs(u).max() > 0
    assert image.GetFieldData().GetArray("TimeValue").GetValue(0) == 2
    read_steps(open_vtk("wave.vtkhdf"), "PointData", (NX, NY, 1), 11, u)
    read_steps(open_vtk("steps.vtkhdf"), "CellData", (NX + 1, NY + 1, 1), 3, u)


def read_steps(reader, data, size, steps, last):
    from vtkmodules.util.numpy_support import vtk_to_numpy

    assert reader.GetNumberOfSteps() == steps
    for step in range(steps):
        reader.SetStep(step)
        reader.Update()
        image = reader.GetOutput()
        assert image.GetDimensions() == size and image.GetSpacing()[:2] == (0.5, 0.5)
        assert abs(reader.GetTimeValue() - 2 * step / (steps - 1)) < 1e-12
    array = getattr(image, "Get" + data)().GetArray("u")
    assert (vtk_to_numpy(array).reshape(NY, NX) == last).all()


readers = {
    "numpy": read_numpy,
    "h5py": read_h5py,
    "netCDF4": read_netcdf4,
    "xarray": read_xarray,
    "PIL": read_pil,
    "vtk": read_vtk,
}
packages = {
    "numpy": "python3-numpy",
    "h5py": "python3-h5py",
    "netCDF4": "python3-netcdf4",
    "xarray": "python3-xarray",
    "PIL": "python3-pil",
    "vtk": "python3-vtk9",
}
try:
    readers[sys.argv[1]]()
except ModuleNotFoundError as error:
    if error.name.split(".")[0] not in ("numpy", "h5py", "netCDF4", "xarray", "PIL", "vtkmodules"):
        raise
    print(f"skipped: {packages[sys.argv[1]]} is not installed")
    sys.exit(77)
