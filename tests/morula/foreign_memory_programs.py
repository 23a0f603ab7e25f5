"""Programs whose arrays lie in memory that something beside NumPy can read, change or release."""

import array
import contextlib
import copy
import ctypes
import datetime
import io
import mmap
from multiprocessing.shared_memory import SharedMemory

import numpy as np

# -- active numbers written into memory that another object reads -------------------------------------------


def read_from_an_array_array(x):
    raw = array.array("d", [1.0, 2.0])
    n = np.frombuffer(raw)
    n[0] = x
    return raw[0] * 3.0


def read_from_ctypes_beside_as_array(x):
    raw = (ctypes.c_double * 3)()
    np.ctypeslib.as_array(raw)[1] = x
    return raw[1] * 3.0


def read_from_a_map(x):
    with mmap.mmap(-1, 64) as raw:
        n = np.frombuffer(raw, float)
        n[0] = x
        y = np.frombuffer(raw[:8])[0] * 3.0
        del n
        return y


def read_from_a_bytearray(x):
    raw = bytearray(16)
    np.frombuffer(raw)[0] = x
    return np.frombuffer(bytes(raw))[0] * 3.0


def read_from_a_bytearray_written_by_slice(x):
    raw = bytearray(16)
    np.frombuffer(raw)[:] = np.full(2, x)
    return np.frombuffer(bytes(raw))[0] * 3.0


def read_from_a_bytearray_written_by_out(x):
    raw = bytearray(16)
    n = np.frombuffer(raw)
    np.multiply(x, np.ones(2), out=n)
    return np.frombuffer(bytes(raw))[0] * 3.0


def read_from_ctypes_made_earlier(x):
    n = np.zeros(3)
    raw = (ctypes.c_double * 3).from_buffer(n)
    n[0] = x
    return raw[0] * 3.0


def value_of_ctypes_made_earlier(x):
    n = np.zeros(3)
    raw = ctypes.c_double.from_buffer(n)
    n[0] = x
    return raw.value * 3.0


class Pair(ctypes.Structure):
    _fields_ = (("x", ctypes.c_double), ("bits", ctypes.c_uint64))


class Word(ctypes.Union):
    _fields_ = (("x", ctypes.c_double), ("bits", ctypes.c_uint64))


class Number(ctypes.c_double):
    pass


class Triple(ctypes.Array):
    _type_ = ctypes.c_double
    _length_ = 3


def laid(cls, x):
    """An object of a class of ctypes, into whose memory `x` is written by an array."""
    n = np.zeros(3)
    raw = cls.from_buffer(n)
    n[0] = x
    return raw


def field_of_a_structure(x):
    return laid(Pair, x).x * 3.0


def field_by_getattr(x):
    return getattr(laid(Pair, x), Pair._fields_[0][0]) * 3.0


def value_by_object(x):
    return object.__getattribute__(laid(Number, x), "value") * 3.0


def value_by_super(x):
    return super(Number, laid(Number, x)).value * 3.0


def value_of_a_pattern(x):
    match laid(Number, x):
        case Number(value=v):
            return v * 3.0


def bits_of_a_number(x):
    bits = laid(ctypes.c_uint64, x).value
    return Word(bits=bits).x * 3.0


def bits_of_a_union(x):
    word = Word()
    word.x = x
    return Word(bits=word.bits).x * 3.0


def bytes_of_ctypes(x):
    return np.frombuffer(bytes(laid(ctypes.c_double, x)))[0] * 3.0


def raw_bytes_of_ctypes(x):
    return np.frombuffer(laid(ctypes.c_char * 24, x).raw)[0] * 3.0


def copy_of_ctypes(x):
    return copy.copy(laid(Pair, x)).x * 3.0


def deep_copy_of_ctypes(x):
    return copy.deepcopy(laid(Pair, x)).x * 3.0


def loop_over_ctypes(x):
    total = 0.0
    for v in laid(ctypes.c_double * 3, x):
        total += v
    return total * 3.0


def loop_over_a_subclass(x):
    first, *_ = [v * 3.0 for v in laid(Triple, x)]
    return first


def sum_of_ctypes(x):
    return sum(laid(Triple, x)) * 3.0


def unpacked_ctypes(x):
    a, _, _ = laid(Triple, x)
    return a * 3.0


def next_of_ctypes(x):
    return next(iter(laid(Triple, x))) * 3.0


def mapped_ctypes(x):
    return next(map(abs, laid(Triple, x))) * 3.0


def reversed_ctypes(x):
    return [*reversed(laid(Triple, x))][-1] * 3.0


def written_while_it_is_read(x):
    n = np.ones(3)
    total = 0.0
    for v in (ctypes.c_double * 3).from_buffer(n):
        total += v
        n[1] = x
    return total * 3.0


def set_in_a_structure(x):
    pair = Pair()
    pair.x = x
    return pair.x * 3.0


def set_by_object_beside_another(x):
    raw = (ctypes.c_double * 2)()
    object.__setattr__(ctypes.c_double.from_buffer(raw), "value", x)
    return raw[0] * 3.0


def read_from_an_address(x):
    n = np.zeros(3)
    raw = (ctypes.c_double * 3).from_address(n.ctypes.data)
    n[0] = x
    return raw[0] * 3.0


def read_from_an_address_of_the_interface(x):
    n = np.zeros(3)
    raw = (ctypes.c_double * 3).from_address(n.__array_interface__["data"][0])
    n[0] = x
    return raw[0] * 3.0


def read_through_a_pointer(x):
    n = np.zeros(3)
    raw = n.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    n[1] = x
    return raw[1] * 3.0


def read_from_as_ctypes(x):
    n = np.zeros(3)
    raw = np.ctypeslib.as_ctypes(n)
    n[1] = x
    return raw[1] * 3.0


def read_from_a_memoryview(x):
    n = np.zeros(3)
    raw = memoryview(n)
    n[0] = x
    return raw[0] * 3.0


def read_from_two_arrays_over_a_buffer(x):
    raw = bytearray(16)
    a, b = np.ndarray(2, float, buffer=raw), np.ndarray(2, float, buffer=raw)
    a[0] = x
    return b[0] * 3.0


def read_from_two_arrays_over_an_array(x):
    raw = np.zeros(2)
    a = np.ndarray(2, float, buffer=memoryview(raw).cast("B"))
    a[0] = x
    return raw[0] * 3.0


def read_from_shared_memory(x):
    raw = SharedMemory(create=True, size=64)
    try:
        n = np.ndarray(3, float, raw.buf)
        n[0] = x
        return np.frombuffer(bytes(raw.buf[:8]))[0] * 3.0
    finally:
        del n
        raw.close()
        raw.unlink()


OUTSIDE = array.array("d", [1.0, 2.0, 3.0])
VIEW_OUTSIDE = np.frombuffer(OUTSIDE)
OWNER_OUTSIDE = np.zeros(3)
CTYPES_OUTSIDE = (ctypes.c_double * 3).from_buffer(OWNER_OUTSIDE)


def read_from_memory_made_before_the_run(x):
    VIEW_OUTSIDE[0] = x
    return OUTSIDE[0] * 3.0


def read_from_ctypes_made_before_the_run(x):
    OWNER_OUTSIDE[0] = x
    return CTYPES_OUTSIDE[0] * 3.0


def summed_by_c_code(x):
    n = np.zeros(2)
    raw = memoryview(n)
    n[0] = x
    return sum(raw) * 3.0


READ = [
    read_from_an_array_array,
    read_from_ctypes_beside_as_array,
    read_from_a_map,
    read_from_a_bytearray,
    read_from_a_bytearray_written_by_slice,
    read_from_a_bytearray_written_by_out,
    read_from_ctypes_made_earlier,
    value_of_ctypes_made_earlier,
    field_of_a_structure,
    field_by_getattr,
    value_by_object,
    value_by_super,
    value_of_a_pattern,
    bits_of_a_number,
    bits_of_a_union,
    bytes_of_ctypes,
    raw_bytes_of_ctypes,
    copy_of_ctypes,
    deep_copy_of_ctypes,
    loop_over_ctypes,
    loop_over_a_subclass,
    sum_of_ctypes,
    unpacked_ctypes,
    next_of_ctypes,
    mapped_ctypes,
    reversed_ctypes,
    written_while_it_is_read,
    set_in_a_structure,
    set_by_object_beside_another,
    read_from_an_address,
    read_from_an_address_of_the_interface,
    read_through_a_pointer,
    read_from_as_ctypes,
    read_from_a_memoryview,
    read_from_two_arrays_over_a_buffer,
    read_from_two_arrays_over_an_array,
    read_from_shared_memory,
    read_from_memory_made_before_the_run,
    read_from_ctypes_made_before_the_run,
    summed_by_c_code,
]

# -- memory that is released while the tape still needs it ------------------------------------------------------


def shared_memory_unlinked(x):
    s = SharedMemory(create=True, size=64)
    n = np.ndarray(3, float, s.buf)
    n[:] = 2.0
    r = (np.full(3, x) * n).sum()
    del n
    s.close()
    s.unlink()
    return r


def shared_memory_read_by_a_number(x):
    s = SharedMemory(create=True, size=64)
    n = np.ndarray(3, float, s.buf)
    r = (x * n).sum() + x
    del n
    s.close()
    s.unlink()
    return r


def shared_memory_in_a_rule(x):
    s = SharedMemory(create=True, size=64)
    n = np.ndarray(3, float, s.buf)
    r = np.dot(np.full(3, x), n) + x
    del n
    s.close()
    s.unlink()
    return r


def shared_memory_as_an_index(x):
    s = SharedMemory(create=True, size=64)
    n = np.ndarray(3, int, s.buf)
    r = np.full(3, x)[n].sum()
    del n
    s.close()
    s.unlink()
    return r


def shared_memory_as_a_mask(x):
    s = SharedMemory(create=True, size=64)
    n = np.ndarray(3, bool, s.buf)
    n[:] = True
    r = np.where(n, np.full(3, x), 0.0).sum()
    del n
    s.close()
    s.unlink()
    return r


def shared_memory_in_place(x):
    s = SharedMemory(create=True, size=64)
    n = np.ndarray(3, float, s.buf)
    n[:] = 2.0
    y = np.full(3, x)
    y *= n
    del n
    s.close()
    s.unlink()
    return y.sum()


def shared_memory_only_written(x):
    s = SharedMemory(create=True, size=64)
    n = np.ndarray(3, float, s.buf)
    n[:] = 2.0
    y = float(n.sum())
    del n
    s.close()
    s.unlink()
    return x * y


def shared_memory_that_dies_unclosed(x):
    s = SharedMemory(create=True, size=64)
    n = np.ndarray(3, float, s.buf)
    n[:] = 2.0
    r = (np.full(3, x) * n).sum()
    s.unlink()
    del n, s
    return r


def shared_memory_closed_by_a_library(x):
    s = SharedMemory(create=True, size=64)
    with contextlib.closing(s):
        n = np.ndarray(3, float, s.buf)
        n[:] = 2.0
        r = (np.full(3, x) * n).sum()
        del n
    s.unlink()
    return r


def a_map_closed(x):
    m = mmap.mmap(-1, 64)
    n = np.frombuffer(m, float)
    n[:] = 2.0
    r = (np.full(8, x) * n).sum()
    del n
    m.close()
    return r


def a_map_closed_under_an_array(x):
    m = mmap.mmap(-1, 64)
    n = np.ndarray(8, float, m)
    n[:] = 2.0
    r = (np.full(8, x) * n).sum()
    del n
    m.close()
    return r


def a_bytearray_that_grows(x):
    b = bytearray(64)
    n = np.ndarray(8, float, b)
    n[:] = 2.0
    r = (np.full(8, x) * n).sum()
    del n
    b.extend(bytes(1 << 20))
    return r


def a_bytearray_that_is_cleared(x):
    b = bytearray(1 << 20)
    n = np.ndarray(1 << 17, float, b)
    n[:] = 2.0
    r = (np.full(1 << 17, x) * n).sum()
    del n
    b.clear()
    return r


def an_array_array_that_grows(x):
    b = array.array("d", [2.0] * 8)
    n = np.ndarray(8, float, b)
    r = (np.full(8, x) * n).sum()
    del n
    b.extend([0.0] * 100_000)
    return r


def a_memoryview_released(x):
    b = bytearray(64)
    m = memoryview(b)
    n = np.ndarray(8, float, m)
    n[:] = 2.0
    r = (np.full(8, x) * n).sum()
    del n
    m.release()
    b.extend(bytes(1 << 20))
    return r


def a_ctypes_array_resized(x):
    b = (ctypes.c_double * 8)()
    n = np.ndarray(8, float, b)
    n[:] = 2.0
    r = (np.full(8, x) * n).sum()
    del n
    ctypes.resize(b, 1 << 20)
    return r


def an_array_resized_under_a_view(x):
    a = np.full(8, 2.0)
    n = a[:4]
    r = (np.full(4, x) * n).sum()
    a.resize(1 << 20, refcheck=False)
    return r


class Lent:
    """Memory that NumPy learns of by ``__array_interface__``, and that is gone when `buffer` is."""

    def __init__(self):
        self.buffer = ctypes.create_string_buffer(1 << 20)
        address = ctypes.addressof(self.buffer)
        self.__array_interface__ = {"shape": (1 << 17,), "typestr": "<f8", "data": (address, False), "version": 3}


def an_interface_whose_memory_dies(x):
    lent = Lent()
    n = np.asarray(lent)
    n[:] = 2.0
    r = (np.full(1 << 17, x) * n).sum()
    del n
    lent.buffer = None
    return r


def released_after_an_error(x):
    s = SharedMemory(create=True, size=64)
    n = np.ndarray(3, float, s.buf)
    n[:] = 2.0
    r = (np.full(3, x) * n).sum()
    try:
        raise ValueError
    except ValueError:
        del n
        s.close()
        s.unlink()
    return r


RELEASED = [
    shared_memory_unlinked,
    shared_memory_read_by_a_number,
    shared_memory_in_a_rule,
    shared_memory_as_an_index,
    shared_memory_as_a_mask,
    shared_memory_in_place,
    shared_memory_only_written,
    shared_memory_that_dies_unclosed,
    shared_memory_closed_by_a_library,
    a_map_closed,
    a_map_closed_under_an_array,
    a_bytearray_that_grows,
    a_bytearray_that_is_cleared,
    an_array_array_that_grows,
    a_memoryview_released,
    a_ctypes_array_resized,
    an_array_resized_under_a_view,
    an_interface_whose_memory_dies,
    released_after_an_error,
]

# -- active numbers that leave as bytes, and may come back --------------------------------------------------------


def saved_and_loaded(x):
    file = io.BytesIO()
    np.save(file, np.full(2, x))
    file.seek(0)
    return np.load(file).sum()


def saved_together(x):
    file = io.BytesIO()
    np.savez(file, a=np.full(2, x))
    file.seek(0)
    return np.load(file)["a"].sum()


def saved_compressed(x):
    file = io.BytesIO()
    np.savez_compressed(file, np.full(2, x))
    file.seek(0)
    return np.load(file)["arr_0"].sum()


def joined_as_bytes(x):
    return np.frombuffer(b"".join([np.full(2, x)])).sum()


def made_bytes(x):
    return np.frombuffer(bytes(np.full(2, x))).sum()


def made_a_bytearray(x):
    return np.frombuffer(bytearray(np.full(2, x))).sum()


def added_to_bytes(x):
    return np.frombuffer(b"" + np.full(2, x).data).sum()


def extended_bytes(x):
    b = bytearray()
    b.extend(np.full(2, x).tobytes())
    return np.frombuffer(b).sum()


def written_to_a_file(x):
    file = io.BytesIO()
    file.write(np.full(2, x))
    return np.frombuffer(file.getvalue()).sum()


def made_a_file(x):
    return np.frombuffer(io.BytesIO(np.full(2, x)).read()).sum()


def packed(x):
    import struct

    return struct.unpack("d", struct.pack("d", x))[0] * 3.0


def made_an_array_array(x):
    return array.array("d", [x])[0] * 3.0


def made_an_array_array_of_an_array(x):
    return array.array("d", np.full(2, x))[0] * 3.0


class Doubles(array.array):
    def __init__(self, kind, values):
        self.kind = kind


class Duration(datetime.timedelta):
    def __init__(self, days):
        self.days_given = 1.0


class Letters(str):
    def __init__(self, value):
        self.value = value


def made_an_array_of_an_own_class(x):
    return Doubles("d", [x])[0] * 3.0


def made_a_duration(x):
    return Duration(x).total_seconds()


def made_text_of_an_own_class(x):
    return float(Letters(x))


def memory_of_a_number(x):
    return np.array(memoryview(np.float64(x) * 1.0)) * 3.0


def bytes_of_a_numpy_number(x):
    return np.frombuffer(bytearray(np.float64(x) * 1.0) + bytes(np.float64(x)))[1] * 3.0


def appended_to_an_array_array(x):
    a = array.array("d")
    a.append(x)
    return a[0] * 3.0


def put_into_an_array_array(x):
    a = array.array("d", [0.0])
    a[0] = x
    return a[0] * 3.0


def put_into_ctypes(x):
    a = (ctypes.c_double * 2)()
    a[0] = x
    return a[0] * 3.0


def made_a_ctypes_number(x):
    return ctypes.c_double(x).value * 3.0


def set_as_a_ctypes_number(x):
    c = ctypes.c_double()
    c.value = x
    return c.value * 3.0


def set_as_a_ctypes_number_beside_another(x):
    raw = (ctypes.c_double * 2)()
    c = ctypes.c_double.from_buffer(raw)
    c.value = x
    return raw[0] * 3.0


def bytes_of_a_number(x):
    return np.frombuffer(np.float64(x).tobytes())[0] * 3.0


def bytes_of_an_array(x):
    return np.frombuffer(np.full(2, x).tobytes())[0] * 3.0


def pickled(x):
    import pickle

    return pickle.loads(pickle.dumps(np.full(2, x)))[0] * 3.0


def pickled_number(x):
    import pickle

    return pickle.loads(pickle.dumps(x)) * 3.0


def marshalled(x):
    import marshal

    return marshal.loads(marshal.dumps(x)) * 3.0


def unbound_bytes(x):
    return np.frombuffer(np.ndarray.tobytes(np.full(2, x)))[0] * 3.0


def unbound_dump(x):
    import pickle

    return pickle.loads(np.ndarray.dumps(np.full(2, x)))[0] * 3.0


ROUND_TRIPS = [
    saved_and_loaded,
    saved_together,
    saved_compressed,
    joined_as_bytes,
    made_bytes,
    made_a_bytearray,
    added_to_bytes,
    extended_bytes,
    written_to_a_file,
    made_a_file,
    packed,
    made_an_array_array,
    made_an_array_array_of_an_array,
    made_an_array_of_an_own_class,
    made_a_duration,
    made_text_of_an_own_class,
    memory_of_a_number,
    bytes_of_a_numpy_number,
    appended_to_an_array_array,
    put_into_an_array_array,
    put_into_ctypes,
    made_a_ctypes_number,
    set_as_a_ctypes_number,
    set_as_a_ctypes_number_beside_another,
    unbound_bytes,
    unbound_dump,
    bytes_of_a_number,
    bytes_of_an_array,
    pickled,
    pickled_number,
    marshalled,
]
