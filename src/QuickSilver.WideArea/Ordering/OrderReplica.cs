using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Ordering;
using QuickSilver.Protocol.Wire;
using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea.Ordering;

/// <summary>
/// The order of all sites at one member: gives the events of the site's ring to a <see cref="SiteMerge"/>, and hands
/// its state to members that join.
/// <para>
/// Idea: a member without a state asks for it in the ring. The lowest member that has it answers with the state at the
/// place of the ask. The one that asked has kept what came since, and runs it.
/// </para>
/// <para>
/// Rule: who has the state is a part of it. When all members of a view have asked, the lowest of them begins a new one,
/// under a new incarnation. Then the gateway names the sites, and the merge begins.
/// </para>
/// <para>
/// Awkward cases: a member that was to answer goes first. Then the view changes, and who has no state asks again. An
/// answer may come twice: the second changes nothing.
/// </para>
/// Fed with the events of the ring, in their order. One thread at a time.
/// </summary>
/// <param name="self">The member.</param>
/// <param name="incarnation">Life of the order, should this member begin it.</param>
/// <param name="deliversSafe">True when messages are delivered once all sites have them.</param>
internal sealed class OrderReplica(MemberId self, Func<ulong> incarnation, bool deliversSafe)
{
    private const int MostAnswered = 256;

    private readonly SortedSet<MemberId> _view = [];
    private readonly SortedSet<MemberId> _holders = [];
    private readonly SortedSet<MemberId> _asking = [];
    private readonly List<(ulong Ask, RingEvent Event)> _since = [];
    private ulong _asked;
    private ulong _incarnation;
    private bool _hasProposed;

    /// <summary>True once the member has the state.</summary>
    public bool HasState { get; private set; }

    /// <summary>The order; null until the gateway has named the sites.</summary>
    public SiteMerge? Merge { get; private set; }

    /// <summary>Names of the sites, by index.</summary>
    public IReadOnlyList<string> Names { get; private set; } = [];

    /// <summary>Messages of the ring that were dropped, alike at all members.</summary>
    public long Rejected { get; private set; }

    /// <summary>True when the gateway has named other sites than those of the order.</summary>
    public bool IsOtherPlan { get; private set; }

    /// <summary>Other members of the ring.</summary>
    public IEnumerable<MemberId> Others => _view.Where(member => member != self);

    /// <summary>What is to be sent to the ring.</summary>
    public Queue<byte[]> ToSend { get; } = new();

    /// <summary>Takes the next event of the ring.</summary>
    public void On(in RingEvent told)
    {
        if (!HasState && _since.Count > 0) _since.Add((0, told));
        if (told.Members is { } members) OnView(members);
        else if (RingBody.TryReadKind(told.Body.Span, out RingKind kind)) OnMessage(kind, told);
        else Rejected++;
    }

    private void OnView(IReadOnlyList<MemberId> members)
    {
        _view.Clear();
        _view.UnionWith(members);
        _holders.IntersectWith(_view);
        _asking.IntersectWith(_view);
        _hasProposed = false;
        if (HasState) return;
        ToSend.Enqueue(RingBody.Ask(++_asked));
        Propose();
    }

    private void OnMessage(RingKind kind, in RingEvent told)
    {
        ReadOnlyMemory<byte> rest = told.Body[2..];
        var reader = new WireReader(rest.Span);
        bool isSound = kind switch
        {
            RingKind.Ask => OnAsk(told, reader.ReadVarint()) && reader.IsAtEnd,
            RingKind.State => OnState(ref reader),
            RingKind.Fresh => OnFresh(reader.ReadVarint()),
            _ when !HasState => true,
            RingKind.Sites => OnSites(ref reader),
            RingKind.Reach => OnReach(ref reader),
            RingKind.Stands => OnStands(rest),
            _ when Merge is null => true,
            RingKind.Local => OnLocal(told, rest),
            RingKind.Record => OnRecord(rest),
            RingKind.Request => OnRequest(ref reader),
            RingKind.Entry => OnEntry(rest),
            _ => false,
        };
        if (!isSound) Rejected++;
    }

    private bool OnAsk(in RingEvent told, ulong number)
    {
        if (HasState)
        {
            _holders.Remove(told.Sender);
            // Who has got the state since it asked says so: the others do not know.
            if (told.Sender == self || (_holders.Count > 0 && _holders.Min == self)) Answer(told.Sender, number);
            return true;
        }
        if (told.Sender == self) _since.Add((number, new RingEvent(null)));
        _asking.Add(told.Sender);
        Propose();
        return true;
    }

    private void Propose()
    {
        if (HasState || _hasProposed || _view.Count == 0 || _view.Min != self) return;
        if (!_asking.IsSupersetOf(_view)) return;
        _hasProposed = true;
        ToSend.Enqueue(RingBody.Fresh(incarnation()));
    }

    private bool OnFresh(ulong life)
    {
        if (life == 0) return false;
        if (HasState) return true;
        _incarnation = life;
        HasState = true;
        _holders.UnionWith(_view);
        _since.Clear();
        return true;
    }

    private void Answer(MemberId member, ulong number)
    {
        int merge = Merge is null ? 0 : 2 + (256 * Names.Count) + Merge.StateLength;
        var bytes = new byte[64 + (256 * (2 + _holders.Count)) + merge];
        WireWriter writer = RingBody.Begin(bytes, RingKind.State);
        RingBody.WriteId(ref writer, member);
        writer.WriteVarint(number);
        writer.WriteVarint((ulong)_holders.Count);
        foreach (MemberId holder in _holders) RingBody.WriteId(ref writer, holder);
        writer.WriteVarint(_incarnation);
        writer.WriteByte(Merge is null ? (byte)0 : (byte)1);
        if (Merge is not null)
        {
            RingBody.WriteSites(ref writer, Merge.Site, Names);
            Merge.Write(ref writer);
        }
        ToSend.Enqueue(bytes[..writer.Written]);
    }

    private bool OnState(ref WireReader reader)
    {
        MemberId member = RingBody.ReadId(ref reader);
        ulong number = reader.ReadVarint();
        if (reader.Failed) return false;
        if (!HasState && member == self && !Adopt(ref reader, number)) return false;
        if (_view.Contains(member)) _holders.Add(member);
        return true;
    }

    private bool Adopt(ref WireReader reader, ulong number)
    {
        int place = _since.FindIndex(one => one.Ask == number);
        if (place < 0) return true;
        var holders = new List<MemberId>();
        for (int count = (int)reader.ReadVarint(ushort.MaxValue); count > 0 && !reader.Failed; count--)
            holders.Add(RingBody.ReadId(ref reader));
        ulong life = reader.ReadVarint();
        bool hasMerge = reader.ReadByte() == 1;
        string[] names = [];
        SiteMerge? merge = null;
        if (hasMerge)
        {
            names = RingBody.ReadSites(ref reader, out _) ?? [];
            merge = SiteMerge.Read(ref reader, deliversSafe);
            if (merge is null || merge.Count != names.Length) return false;
        }
        if (!reader.IsAtEnd || life == 0) return false;
        (_incarnation, Names, Merge, HasState) = (life, names, merge, true);
        _holders.UnionWith(holders);
        // The events from the ask to this one are those that the others have run meanwhile.
        RingEvent[] events = [.. _since.Skip(place).Where(static one => one.Ask == 0).Select(static one => one.Event)];
        _since.Clear();
        foreach (RingEvent told in events[..^1])
        {
            if (told.Members is not null) _holders.IntersectWith(told.Members);
            else if (RingBody.TryReadKind(told.Body.Span, out RingKind kind)) OnMessage(kind, told);
        }
        _holders.IntersectWith(_view);
        return true;
    }

    private bool OnSites(ref WireReader reader)
    {
        if (RingBody.ReadSites(ref reader, out int own) is not { } names) return false;
        byte policy = reader.ReadByte();
        if (!reader.IsAtEnd || policy > (byte)CutPolicy.GoOn) return false;
        if (Merge is null)
        {
            Names = names;
            Merge = new SiteMerge(own, names.Length, _incarnation, (CutPolicy)policy) { DeliversSafe = deliversSafe };
        }
        else
        {
            IsOtherPlan = own != Merge.Site || !names.AsSpan().SequenceEqual(Names.ToArray());
        }
        return true;
    }

    private bool OnReach(ref WireReader reader)
    {
        SiteSet reach = SiteSet.Read(ref reader);
        if (!reader.IsAtEnd) return false;
        Merge?.OnReach(reach);
        return true;
    }

    private bool OnStands(ReadOnlyMemory<byte> rest)
    {
        if (!rest.IsEmpty) return false;
        Merge?.OnStands();
        return true;
    }

    private bool OnLocal(in RingEvent told, ReadOnlyMemory<byte> body)
    {
        if (!RingBody.TryReadContent(body, out _, out _)) return false;
        SenderText sender = SenderText.Of(told.Sender, told.SenderName);
        Merge!.OnLocal(new OrderedContent(sender.Id, sender.Name, told.Sequence, body));
        return true;
    }

    private bool OnRecord(ReadOnlyMemory<byte> rest)
    {
        if (rest.IsEmpty || !RingBody.TryReadEntry(rest[1..], out OrderRecord? record, out OrderedContent? content))
            return false;
        RejectReason reason = Merge!.OnRecord(rest.Span[0], record, content);
        return reason is RejectReason.None or RejectReason.Replayed or RejectReason.UnknownView;
    }

    private bool OnRequest(ref WireReader reader)
    {
        MemberId member = RingBody.ReadId(ref reader);
        int site = reader.ReadByte();
        ulong first = reader.ReadVarint(), last = reader.ReadVarint();
        bool isSound = reader.IsAtEnd && site < Merge!.Count && first > 0 && last >= first
            && last - first < MostAnswered;
        if (!isSound || member != self) return isSound;
        for (ulong number = first; number <= last; number++)
        {
            if (Merge!.Find(site, number) is { } entry) ToSend.Enqueue(RingBody.Entry(entry));
        }
        return true;
    }

    private bool OnEntry(ReadOnlyMemory<byte> rest)
    {
        if (!RingBody.TryReadEntry(rest, out OrderRecord? record, out OrderedContent? content)) return false;
        if (record.Kind != OrderRecordKind.Forward) return false;
        Merge!.Give(new OrderedEntry(record.Origin, record.View, record.Number, record.Stamp, content));
        return true;
    }
}
