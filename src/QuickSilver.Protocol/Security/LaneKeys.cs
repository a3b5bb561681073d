using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// The keys of one lane under one secret: the present one, and the one before or after it. Core thread only.
/// </summary>
internal sealed class LaneKeys
{
    private readonly KeyRing _ring;
    private readonly SealCipher _cipher;
    private readonly byte[] _secret;
    private readonly SealLane _lane;
    private Entry _present;
    private Entry _other;

    private struct Entry
    {
        public ISealingKey? Key;
        public ulong Span;
    }

    /// <summary>Makes a lane without keys.</summary>
    /// <param name="ring">Counts the keys in use.</param>
    /// <param name="cipher">The cipher of the view.</param>
    /// <param name="secret">The secret that keys are derived from; not copied.</param>
    /// <param name="lane">The lane.</param>
    public LaneKeys(KeyRing ring, SealCipher cipher, byte[] secret, SealLane lane)
    {
        _ring = ring;
        _cipher = cipher;
        _secret = secret;
        _lane = lane;
    }

    /// <summary>The last counter that this node has sealed with in the lane.</summary>
    public ulong Counter { get; set; }

    /// <summary>When a key was last used, by <see cref="KeyRing.Uses"/>.</summary>
    public ulong LastUse { get; private set; }

    /// <summary>Number of keys kept.</summary>
    public int Count => (_present.Key is null ? 0 : 1) + (_other.Key is null ? 0 : 1);

    /// <summary>The key for a counter. Allocates when it is not one of the two kept.</summary>
    public ISealingKey For(ulong counter)
    {
        ulong span = counter >> KeySchedule.CountersOfAKey;
        LastUse = ++_ring.Uses;
        if (_present.Key is { } present && _present.Span == span) return present;
        (_present, _other) = (_other, _present);
        if (_present.Key is { } other && _present.Span == span) return other;
        _present.Key?.Dispose();
        if (_present.Key is null) _ring.OnKeyMade();
        Span<byte> key = stackalloc byte[ICryptoSuite.KeyBytes];
        KeySchedule.Lane(_ring.Suite, _cipher, _secret, _lane, span, key);
        _present = new Entry { Key = _ring.Suite.MakeKey(_cipher, key), Span = span };
        key.Clear();
        return _present.Key!;
    }

    /// <summary>Disposes of the keys; they are derived again when they are needed.</summary>
    public void Release()
    {
        _ring.OnKeysReleased(Count);
        _present.Key?.Dispose();
        _other.Key?.Dispose();
        _present = default;
        _other = default;
    }
}
