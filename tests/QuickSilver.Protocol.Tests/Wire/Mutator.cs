using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>
/// Damages valid inputs, in ways that decoders get wrong: flipped bits, telling values, cut and stretched ends, pieces taken out, put in twice or
/// taken from another input. The same seed gives the same inputs. Allocates nothing per input, so that what a decoder allocates can be counted.
/// </summary>
internal sealed class Mutator(ulong seed, byte[][] valid, int maxLength = 2048)
{
    private readonly SeededRandom _random = new(seed);
    private readonly byte[] _input = new byte[maxLength];
    private int _length;

    private static ReadOnlySpan<byte> Telling => [0, 1, 2, 0x7F, 0x80, 0x81, 0xFE, 0xFF];

    /// <summary>The next input; valid until the one after.</summary>
    public Span<byte> Next()
    {
        byte[] origin = valid[Below(valid.Length)];
        origin.CopyTo(_input, 0);
        _length = origin.Length;
        for (int changes = 1 + Below(3); changes > 0; changes--) Change();
        return _input.AsSpan(0, _length);
    }

    private void Change()
    {
        int kind = Below(10);
        if (_length == 0 && kind < 7) return;
        switch (kind)
        {
            case < 3:
                _input[Below(_length)] ^= (byte)(1 << Below(8));
                break;
            case < 5:
                _input[Below(_length)] = Telling[Below(Telling.Length)];
                break;
            case 5:
                _length = Below(_length);
                break;
            case 6:
                Remove();
                break;
            case 7:
                Stretch(Below(24), random: true);
                break;
            case 8:
                Stretch(1 + Below(12), random: false);
                break;
            default:
                Splice(valid[Below(valid.Length)]);
                break;
        }
    }

    private void Remove()
    {
        int from = Below(_length);
        int count = Math.Min(1 + Below(8), _length - from);
        _input.AsSpan((from + count).._length).CopyTo(_input.AsSpan(from));
        _length -= count;
    }

    /// <summary>Adds random bytes at the end, or a run of one telling byte anywhere: varints without end, huge counts.</summary>
    private void Stretch(int count, bool random)
    {
        count = Math.Min(count, _input.Length - _length);
        int at = random ? _length : Below(_length + 1);
        _input.AsSpan(at, _length - at).CopyTo(_input.AsSpan(at + count));
        byte telling = Telling[Below(Telling.Length)];
        for (int index = at; index < at + count; index++) _input[index] = random ? (byte)Below(256) : telling;
        _length += count;
    }

    /// <summary>The beginning of this input, then the end of another.</summary>
    private void Splice(byte[] other)
    {
        int keep = Below(_length + 1);
        int from = Below(other.Length + 1);
        int count = Math.Min(other.Length - from, _input.Length - keep);
        other.AsSpan(from, count).CopyTo(_input.AsSpan(keep));
        _length = keep + count;
    }

    private int Below(int bound) => (int)_random.NextBelow((ulong)bound);
}
