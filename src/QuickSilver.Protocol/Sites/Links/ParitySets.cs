using System.Numerics;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// What a receiving end keeps to rebuild packets: the records that came last, and the parities of sets that lack some.
/// A set is <em>open</em> while it lacks packets; at most four are, and the lowest goes first.
/// <para>
/// Records are kept from the first parity of a connection on, or from its begin where this end sends parity itself. As
/// many are kept as four sets have. So a link without parity costs nothing here.
/// </para>
/// <para>
/// Cost: one copy of each record. Allocates for the first records and parities alone. Core thread only.
/// </para>
/// </summary>
internal sealed class ParitySets
{
    private const int MostOpen = 4;

    private readonly LinkSettings _settings;
    private readonly LinkHoles _holes;
    private readonly RejectCounters _rejects;
    private readonly OpenSet[] _sets = new OpenSet[MostOpen];
    private KeptRecord[] _kept = [];
    private int _open;

    /// <summary>Makes one that has nothing.</summary>
    /// <param name="settings">How many records are kept from the begin.</param>
    /// <param name="holes">What is missing.</param>
    /// <param name="rejects">Counts parities that do not fit what came.</param>
    public ParitySets(LinkSettings settings, LinkHoles holes, RejectCounters rejects)
    {
        _settings = settings;
        _holes = holes;
        _rejects = rejects;
        if (settings.ParityEvery > 0) KeepFor(settings.ParityEvery);
    }

    /// <summary>Packets of this epoch that were rebuilt, were not asked for, and have not come since: those that the
    /// other end does not know to be lost.</summary>
    public ulong Unasked { get; private set; }

    /// <summary>Forgets all, for a new epoch.</summary>
    public void Clear()
    {
        foreach (ref KeptRecord kept in _kept.AsSpan()) kept.Number = 0;
        foreach (ref OpenSet set in _sets.AsSpan()) set.First = 0;
        _open = 0;
        Unasked = 0;
    }

    /// <summary>A record has come for the first time.</summary>
    public void Keep(ulong number, ReadOnlySpan<byte> record)
    {
        if (_kept.Length == 0) return;
        ref KeptRecord kept = ref PlaceOf(number);
        if (kept.Number > number) return;
        record.CopyTo(Room(ref kept.Bytes, record.Length));
        kept.Number = number;
        kept.Length = record.Length;
        kept.IsUnasked = false;
    }

    /// <summary>A packet was rebuilt that was not asked for.</summary>
    public void CountUnasked(ulong number)
    {
        ref KeptRecord kept = ref PlaceOf(number);
        if (kept.Number == number) kept.IsUnasked = true;
        Unasked++;
    }

    /// <summary>A copy has come: it may be a packet that was late, not lost.</summary>
    /// <returns>True when it was rebuilt before, was not asked for, and comes for the first time.</returns>
    public bool OnCopy(ulong number)
    {
        if (Unasked == 0) return false;
        ref KeptRecord kept = ref PlaceOf(number);
        if (kept.Number != number || !kept.IsUnasked) return false;
        kept.IsUnasked = false;
        Unasked--;
        return true;
    }

    /// <summary>A parity has come. It is kept if its set lacks packets.</summary>
    public void Add(in ParityBody parity)
    {
        KeepFor(parity.Count);
        int at = 0;
        for (int index = 0; index < MostOpen; index++)
        {
            if (_sets[index].First == parity.First) return;
            if (_sets[index].First < _sets[at].First) at = index;
        }
        ref OpenSet set = ref _sets[at];
        if (set.First > parity.First || Lacking(parity.First, parity.Count, out _) == 0) return;
        if (set.First == 0) _open++;
        parity.Parity.CopyTo(Room(ref set.Bytes, parity.Parity.Length));
        set.First = parity.First;
        set.Count = parity.Count;
        set.Lengths = parity.Lengths;
        set.Length = parity.Parity.Length;
    }

    /// <summary>Rebuilds the packet that a set lacks, if it lacks one alone.</summary>
    /// <param name="number">A packet of the set: what came last.</param>
    /// <param name="record">The record; valid until the next call.</param>
    /// <returns>Its link number; 0 when there is no such set.</returns>
    public ulong Rebuild(ulong number, out ReadOnlySpan<byte> record)
    {
        record = default;
        for (int index = 0; _open > 0 && index < MostOpen; index++)
        {
            ref OpenSet set = ref _sets[index];
            ulong first = set.First;
            if (first == 0 || number < first || number - first >= (ulong)set.Count) continue;
            int lacking = Lacking(first, set.Count, out ulong lacks);
            if (lacking > 1) continue;
            set.First = 0;
            _open--;
            // One that came before records were kept is not missing.
            if (lacking == 0 || !_holes.Contains(lacks)) continue;
            if (TrySum(set, first, lacks, out record)) return lacks;
            _rejects.Count(RejectReason.Malformed);
        }
        return 0;
    }

    // The sum of the parity and of all packets but one is that one.
    private bool TrySum(in OpenSet set, ulong first, ulong lacks, out ReadOnlySpan<byte> record)
    {
        Span<byte> sum = set.Bytes.AsSpan(0, set.Length);
        int length = set.Lengths;
        record = default;
        for (ulong number = first; number < first + (ulong)set.Count; number++)
        {
            if (number == lacks) continue;
            ref KeptRecord kept = ref PlaceOf(number);
            if (kept.Length > sum.Length) return false;
            GaloisField.Add(sum, kept.Bytes.AsSpan(0, kept.Length));
            length ^= kept.Length;
        }
        if (length < 1 || length > sum.Length || sum[length..].ContainsAnyExcept((byte)0)) return false;
        record = sum[..length];
        return true;
    }

    private int Lacking(ulong first, int count, out ulong lacks)
    {
        int lacking = 0;
        lacks = 0;
        for (ulong number = first; number < first + (ulong)count; number++)
        {
            if (PlaceOf(number).Number == number) continue;
            lacking++;
            lacks = number;
        }
        return lacking;
    }

    private void KeepFor(int count)
    {
        int size = MostOpen * (int)BitOperations.RoundUpToPowerOf2((uint)count);
        if (size <= _kept.Length) return;
        KeptRecord[] before = _kept;
        _kept = new KeptRecord[size];
        foreach (KeptRecord kept in before)
        {
            if (kept.Number > 0) PlaceOf(kept.Number) = kept;
        }
    }

    private ref KeptRecord PlaceOf(ulong number) => ref _kept[number & (ulong)(_kept.Length - 1)];

    private byte[] Room(ref byte[]? bytes, int length)
    {
        if (bytes is null || bytes.Length < length) bytes = new byte[Math.Max(length, _settings.MaxRecord)];
        return bytes;
    }

    private struct KeptRecord
    {
        public ulong Number;
        public byte[]? Bytes;
        public int Length;
        public bool IsUnasked;
    }

    private struct OpenSet
    {
        public ulong First;
        public byte[]? Bytes;
        public int Count;
        public int Length;
        public int Lengths;
    }
}
