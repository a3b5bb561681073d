using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// What a node keeps of one writer in a view: the writer's secret, the lanes derived from it, and which of its counters
/// have been read. Made on first use. Core thread only.
/// </summary>
internal sealed class WriterKeys
{
    /// <summary>Number of lanes.</summary>
    public const int Lanes = 8;

    private readonly KeyRing _ring;
    private readonly SealCipher _cipher;
    private readonly byte[] _secret;
    private readonly LaneKeys?[] _lanes = new LaneKeys?[Lanes];
    private readonly ReplayWindow?[] _read = new ReplayWindow?[Lanes];

    /// <summary>Takes the secret of a writer.</summary>
    /// <param name="ring">The node's keys.</param>
    /// <param name="cipher">The cipher of the view.</param>
    /// <param name="key">The <see cref="NodeNumber.Key"/> of the writer.</param>
    /// <param name="secret">Its secret, in pinned memory; zeroed by <see cref="Close"/>.</param>
    public WriterKeys(KeyRing ring, SealCipher cipher, ulong key, byte[] secret)
    {
        _ring = ring;
        _cipher = cipher;
        Key = key;
        _secret = secret;
    }

    /// <summary>The <see cref="NodeNumber.Key"/> of the writer.</summary>
    public ulong Key { get; }

    /// <summary>True once the node is gone from the cluster: nothing opens with its keys.</summary>
    public bool IsClosed { get; private set; }

    /// <summary>A lane.</summary>
    public LaneKeys LaneOf(SealLane lane) =>
        _lanes[(int)lane] ??= _ring.Add(new LaneKeys(_ring, _cipher, _secret, lane));

    /// <summary>True for a counter of the writer that was read before in the lane.</summary>
    public bool HasRead(SealLane lane, ulong counter) => _read[(int)lane]?.Contains(counter) ?? false;

    /// <summary>Marks a counter of the writer as read in the lane.</summary>
    public void MarkRead(SealLane lane, ulong counter) => (_read[(int)lane] ??= new ReplayWindow()).Mark(counter);

    /// <summary>A hash over the counters that have been read, for checks.</summary>
    internal ulong Digest()
    {
        ulong digest = 0;
        foreach (ReplayWindow? window in _read) digest = (digest * 31) + (window?.Digest() ?? 0);
        return digest;
    }

    /// <summary>Disposes of the keys and zeroes the secret.</summary>
    public void Close()
    {
        if (IsClosed) return;
        IsClosed = true;
        foreach (LaneKeys? lane in _lanes)
        {
            if (lane is not null) _ring.Remove(lane);
        }
        System.Security.Cryptography.CryptographicOperations.ZeroMemory(_secret);
    }
}
