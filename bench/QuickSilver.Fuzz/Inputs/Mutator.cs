using System.Buffers.Binary;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Fuzz.Inputs;

/// <summary>
/// Damages real inputs where decoders are weak: flipped bits, telling bytes and numbers of two, four and eight bytes,
/// varints replaced by longer, larger or slightly different ones (so counts and lengths no longer fit), ends cut and
/// stretched, pieces taken out, doubled, or taken from another input. The same seed gives the same inputs. Allocates
/// nothing per input, so that what a decoder allocates can be counted.
/// </summary>
/// <param name="seed">Of the choices.</param>
/// <param name="valid">What is damaged.</param>
/// <param name="maxLength">The longest input; longer originals are cut.</param>
internal sealed class Mutator(ulong seed, byte[][] valid, int maxLength = 2048)
{
    private const int MostChanges = 4;
    private const int MostStretch = 24;
    private const int MostRemoved = 12;
    private const int MostDoubled = 64;

    // An array: as a span of constants, which only optimized code takes without allocating, it would count against the
    // decoder in debug builds.
    private static readonly ulong[] TellingNumbers =
    [
        0, 1, 2, 63, 64, 127, 128, 255, 256, 4095, 4096, 65_493, 65_535, 65_536, (1 << 20) - 1, 1 << 20, int.MaxValue,
        1UL << 31, uint.MaxValue,
        1UL << 32, long.MaxValue, 1UL << 63, ulong.MaxValue - 1, ulong.MaxValue,
    ];

    private readonly SeededRandom _random = new(seed);
    private readonly byte[] _input = new byte[maxLength];
    private int _length;

    private static ReadOnlySpan<byte> TellingBytes => [0, 1, 2, 0x7F, 0x80, 0x81, 0xFE, 0xFF];

    /// <summary>The next input; valid until the one after.</summary>
    public Span<byte> Next()
    {
        Begin(valid[Below(valid.Length)]);
        return Damage();
    }

    /// <summary>A damaged copy of one original; valid until the next input.</summary>
    public Span<byte> NextOf(ReadOnlySpan<byte> original)
    {
        Begin(original);
        return Damage();
    }

    /// <summary>A number below a bound, from the same source.</summary>
    public int Below(int bound) => (int)_random.NextBelow((ulong)bound);

    private void Begin(ReadOnlySpan<byte> original)
    {
        _length = Math.Min(original.Length, _input.Length);
        original[.._length].CopyTo(_input);
    }

    private Span<byte> Damage()
    {
        for (int changes = 1 + Below(MostChanges); changes > 0; changes--) Change();
        return _input.AsSpan(0, _length);
    }

    private void Change()
    {
        int kind = Below(14);
        if (_length == 0 && kind is not (9 or 10 or 13)) return;
        switch (kind)
        {
            case < 3:
                _input[Below(_length)] ^= (byte)(1 << Below(8));
                break;
            case 3:
                _input[Below(_length)] = TellingBytes[Below(TellingBytes.Length)];
                break;
            case < 7:
                ChangeVarint();
                break;
            case 7:
                ChangeNumber();
                break;
            case 8:
                _length = Below(_length);
                break;
            case 9:
                Stretch(Below(MostStretch), random: true);
                break;
            case 10:
                Stretch(1 + Below(MostStretch), random: false);
                break;
            case 11:
                Remove();
                break;
            case 12:
                Double();
                break;
            default:
                Splice(valid[Below(valid.Length)]);
                break;
        }
    }

    // Wherever it is put: what stands there is read as a varint, and one of another value and perhaps another length
    // takes its place.
    private void ChangeVarint()
    {
        int at = Below(_length);
        var reader = new WireReader(_input.AsSpan(at, _length - at));
        ulong value = reader.ReadVarint();
        int old = reader.Failed ? 1 : _length - at - reader.Remaining;
        value = Below(4) switch
        {
            0 => value + 1,
            1 => value - 1,
            2 => value << Below(16),
            _ => TellingNumbers[Below(TellingNumbers.Length)],
        };
        int grown = WireWriter.VarintLength(value);
        if (_length - old + grown > _input.Length) return;
        _input.AsSpan(at + old, _length - at - old).CopyTo(_input.AsSpan(at + grown));
        var writer = new WireWriter(_input.AsSpan(at, grown));
        writer.WriteVarint(value);
        _length += grown - old;
    }

    private void ChangeNumber()
    {
        int at = Below(_length);
        int bytes = 2 << Below(3);
        if (at + bytes > _length) return;
        Span<byte> place = _input.AsSpan(at, bytes);
        ulong value = TellingNumbers[Below(TellingNumbers.Length)];
        if (bytes == 2) BinaryPrimitives.WriteUInt16LittleEndian(place, (ushort)value);
        else if (bytes == 4) BinaryPrimitives.WriteUInt32LittleEndian(place, (uint)value);
        else BinaryPrimitives.WriteUInt64LittleEndian(place, value);
    }

    private void Remove()
    {
        int from = Below(_length);
        int count = Math.Min(1 + Below(MostRemoved), _length - from);
        _input.AsSpan((from + count).._length).CopyTo(_input.AsSpan(from));
        _length -= count;
    }

    private void Double()
    {
        int from = Below(_length);
        int count = Math.Min(Math.Min(1 + Below(MostDoubled), _length - from), _input.Length - _length);
        _input.AsSpan(from, _length - from).CopyTo(_input.AsSpan(from + count));
        _length += count;
    }

    // Random bytes at the end, or a run of one telling byte anywhere: varints without end, huge counts.
    private void Stretch(int count, bool random)
    {
        count = Math.Min(count, _input.Length - _length);
        int at = random ? _length : Below(_length + 1);
        _input.AsSpan(at, _length - at).CopyTo(_input.AsSpan(at + count));
        byte telling = TellingBytes[Below(TellingBytes.Length)];
        for (int index = at; index < at + count; index++) _input[index] = random ? (byte)Below(256) : telling;
        _length += count;
    }

    // The beginning of this input, then the end of another.
    private void Splice(byte[] other)
    {
        int keep = Below(_length + 1);
        int from = Below(other.Length + 1);
        int count = Math.Min(other.Length - from, _input.Length - keep);
        other.AsSpan(from, count).CopyTo(_input.AsSpan(keep));
        _length = keep + count;
    }
}
