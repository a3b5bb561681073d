using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// A ring that has ended, and what its members that go on have reported of it. What is wanted is what any of them
/// holds; if one has concluded the ring, what that one holds.
/// </summary>
/// <param name="ring">The ring.</param>
internal sealed class EndedRing(Ring ring)
{
    private readonly HeldReport?[] _reports = new HeldReport?[ring.Members.Length];
    private bool[] _survivors = [];

    /// <summary>The ring.</summary>
    public Ring Ring { get; } = ring;

    /// <summary>True once this node has reported, of the newest ring.</summary>
    public bool HasReported { get; set; }

    /// <summary>True when this node's last report said that it holds all that is wanted.</summary>
    public bool SaysComplete { get; set; }

    /// <summary>The members that go on together; empty before the ring is concluded.</summary>
    public ReadOnlySpan<bool> Survivors => _survivors;

    /// <summary>All members of the ring hold the packets up to this, as one that goes on knows; 0 before the ring is
    /// concluded.</summary>
    public ulong Stable { get; private set; }

    /// <summary>There is a newer ring: fewer may go on, and all report once more.</summary>
    public void OnNewer(Ring newest)
    {
        Ring.Keep(newest);
        if (Ring.IsConcluded) return;
        Array.Clear(_reports);
        HasReported = SaysComplete = false;
    }

    /// <summary>Takes a member's report.</summary>
    public RejectReason Take(in OrderedReportBody report, NodeInfo from)
    {
        int index = Ring.IndexOf(from.Number.Key);
        if (index < 0) return RejectReason.UnknownSender;
        if (!Ring.GoOn[index] || index == Ring.Self) return RejectReason.None;
        if (report.IsConcluded && report.Members != Ring.Members.Length) return RejectReason.Malformed;
        ulong highest = report.UpTo + (ulong)report.Further;
        if (highest > 0 && !Ring.Log.Has(highest) && !Ring.Log.HasRoomFor(highest)) return RejectReason.BeyondWindow;
        // A report that was overtaken takes nothing back.
        if (_reports[index] is { } known && known.IsConcluded) return RejectReason.None;
        _reports[index] = new HeldReport(report, _reports[index]);
        return RejectReason.None;
    }

    /// <summary>True when a packet is wanted here: it was reported, and does not come from elsewhere.</summary>
    public bool Wants(ulong sequence)
    {
        if (!AreAllHeard()) return false;
        HeldReport? concluded = Concluded();
        if (concluded is not null) return concluded.Has(sequence);
        foreach (HeldReport? report in _reports)
        {
            if (report is not null && report.Has(sequence)) return true;
        }
        return false;
    }

    /// <summary>True when this node holds all that is wanted, and knows what that is.</summary>
    public bool IsComplete()
    {
        if (!AreAllHeard()) return false;
        ulong highest = HighestWanted();
        for (ulong sequence = Ring.Log.UpTo + 1; sequence <= highest; sequence++)
        {
            if (!Ring.Log.Has(sequence) && Wants(sequence)) return false;
        }
        return true;
    }

    /// <summary>True when all that go on hold all that is wanted.</summary>
    public bool IsReady()
    {
        if (!IsComplete()) return false;
        for (int index = 0; index < _reports.Length; index++)
        {
            if (Awaits(index) && !_reports[index]!.IsComplete) return false;
        }
        return true;
    }

    /// <summary>Finds packets that are wanted and not here, and a member that holds the first of them.</summary>
    /// <param name="turn">Chooses among those that hold it.</param>
    /// <param name="missing">The packets that this member holds are added.</param>
    /// <returns>The member; null when nothing is missing, or not known yet.</returns>
    public NodeInfo? FindMissing(int turn, List<SequenceRange> missing)
    {
        if (!AreAllHeard()) return null;
        ulong highest = HighestWanted();
        for (ulong sequence = Ring.Log.UpTo + 1; sequence <= highest; sequence++)
        {
            if (Ring.Log.Has(sequence) || !Wants(sequence)) continue;
            int holder = FindHolder(sequence, turn);
            if (holder < 0) return null;
            AddMissing(sequence, highest, _reports[holder]!, missing);
            return Ring.Members[holder];
        }
        return null;
    }

    /// <summary>Names the members that this node waits for: they have not reported, or lack what it holds.</summary>
    public void AddAwaited(Action<NodeInfo> add)
    {
        bool areAllHeard = AreAllHeard();
        for (int index = 0; index < _reports.Length; index++)
        {
            if (!Awaits(index) || Ring.Members[index].IsRemoved) continue;
            if (_reports[index] is null || (areAllHeard && !_reports[index]!.IsComplete)) add(Ring.Members[index]);
        }
    }

    /// <summary>The ring is concluded: who goes on together is fixed, and what all of the ring hold.</summary>
    public void Fix()
    {
        _survivors = new bool[Ring.Members.Length];
        HeldReport? concluded = Concluded();
        Stable = concluded?.Stable ?? HighestStable();
        for (int index = 0; index < _survivors.Length; index++)
        {
            _survivors[index] = concluded is not null
                ? concluded.GoesOn(index)
                : Ring.GoOn[index] && _reports[index] is not { IsAbsent: true };
        }
    }

    /// <summary>What this node reports.</summary>
    /// <param name="next">The newest ring.</param>
    /// <param name="map">Room for the map.</param>
    /// <param name="survivors">Room for those that go on.</param>
    public OrderedReportBody Say(RingId next, Span<byte> map, Span<byte> survivors)
    {
        map.Clear();
        survivors.Clear();
        RingLog log = Ring.Log;
        int further = (int)(log.Highest > log.UpTo ? log.Highest - log.UpTo : 0);
        for (int bit = 0; bit < further; bit++)
        {
            if (log.Keeps(log.UpTo + 1 + (ulong)bit)) map[bit / 8] |= (byte)(1 << (bit % 8));
        }
        for (int index = 0; index < _survivors.Length; index++)
        {
            if (_survivors[index]) survivors[index / 8] |= (byte)(1 << (index % 8));
        }
        return new OrderedReportBody
        {
            Ring = Ring.Id,
            Next = next,
            IsComplete = SaysComplete || Ring.IsConcluded,
            IsConcluded = Ring.IsConcluded,
            UpTo = log.UpTo,
            Stable = Ring.IsConcluded ? Stable : Ring.Turn.Stable,
            Further = further,
            Map = map[..((further + 7) / 8)],
            Members = Ring.IsConcluded ? Ring.Members.Length : 0,
            Survivors = survivors[..((_survivors.Length + 7) / 8)],
        };
    }

    private bool Awaits(int index) => Ring.GoOn[index] && index != Ring.Self;

    private bool AreAllHeard()
    {
        for (int index = 0; index < _reports.Length; index++)
        {
            if (Awaits(index) && _reports[index] is null) return false;
        }
        return true;
    }

    private HeldReport? Concluded()
    {
        foreach (HeldReport? report in _reports)
        {
            if (report is { IsConcluded: true }) return report;
        }
        return null;
    }

    private ulong HighestStable()
    {
        ulong stable = Ring.Turn.Stable;
        foreach (HeldReport? report in _reports)
        {
            if (report is not null && report.Stable > stable) stable = report.Stable;
        }
        return stable;
    }

    private ulong HighestWanted()
    {
        ulong highest = 0;
        foreach (HeldReport? report in _reports)
        {
            if (report is not null && report.Highest > highest) highest = report.Highest;
        }
        return highest;
    }

    private int FindHolder(ulong sequence, int turn)
    {
        int count = _reports.Length;
        for (int index = 0; index < count; index++)
        {
            int place = (index + turn) % count;
            if (_reports[place] is { } report && report.Has(sequence)) return place;
        }
        return -1;
    }

    private void AddMissing(ulong first, ulong highest, HeldReport report, List<SequenceRange> missing)
    {
        for (ulong sequence = first; sequence <= highest; sequence++)
        {
            if (Ring.Log.Has(sequence) || !Wants(sequence) || !report.Has(sequence)) continue;
            if (missing.Count > 0 && missing[^1].End == sequence)
                missing[^1] = new SequenceRange(missing[^1].Start, sequence + 1);
            else if (missing.Count == OrderedAskBody.MaxRanges) return;
            else missing.Add(new SequenceRange(sequence, sequence + 1));
        }
    }
}
