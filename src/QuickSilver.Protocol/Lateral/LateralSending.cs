using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// Turns messages into packets, and sends each to the region views of its group. A message is taken when the socket can
/// send. One that is longer than a packet is cut into fragments, each a packet of its own. Datagrams differ between
/// regions in their headers alone, so one set of them serves all regions, one after the other. O(fragments x regions) a
/// message. Core thread only.
/// </summary>
internal sealed class LateralSending : IFeed
{
    // A combination is no longer than a datagram, and has the ids of its packets besides: room for many, or where
    // that would cut a message of the paper's size in two, for those of the packets that one repair combines.
    private const int ManyIds = 320;
    private const int UsualIdLength = 12;
    private const int WholeMessage = 1024;
    private const int LongestDatagram = 1428;
    private const int LeastContent = 64;

    private readonly LateralParts _parts;
    private readonly ViewCast _trains;
    private readonly List<RegionView> _views = [];
    private readonly List<int> _lengths = [];
    private int _nextView;
    private Slice _memory;

    public LateralSending(LateralParts parts)
    {
        _parts = parts;
        _trains = new ViewCast(parts.Context);
        parts.Context.Outlet.HasMessages = () => parts.Context.Roots.Register(this, PriorityClass.Data);
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        while (!_trains.TryNext(out train))
        {
            if (_nextView < _views.Count)
            {
                AddTrains(_views[_nextView++]);
                continue;
            }
            _memory.Release();
            _memory = default;
            if (!_parts.Context.Outlet.TryTake(now, out OutgoingMessage? message)) return false;
            Send(message, now);
        }
        return true;
    }

    /// <summary>The addresses of views have changed: what is under way to one of them begins again there.</summary>
    public void Detach()
    {
        if (_trains.IsUnderWay) _nextView--;
        _parts.Context.Roots.DropKept(this);
        _trains.Stop();
        if (_nextView < _views.Count) _parts.Context.Roots.Register(this, PriorityClass.Data);
    }

    public void Close()
    {
        _parts.Context.Outlet.HasMessages = null;
        _parts.Context.Roots.DropKept(this);
        _memory.Release();
        _memory = default;
        _trains.Stop();
        _views.Clear();
        _nextView = 0;
    }

    private void Send(OutgoingMessage message, Instant now)
    {
        Debug.Assert(!_trains.IsUnderWay && _nextView >= _views.Count, "the message before has left");
        Debug.Assert(message.Number > 0, "the message has its number");
        if (_parts.FindGroup(message.Group.Group.Id.Counter) is not { } group
            || _parts.Context.Cluster.Self is not { } self)
        {
            _parts.Context.Outlet.Finish(message, now);
            return;
        }
        if (group.Step != message.Step)
            (group.Step, group.FirstInStep, group.Before) = (message.Step, message.Number, message.PreviousStep);
        group.LastSent = message.Number;
        _parts.Reports.OnSent(group, now);
        IReadOnlyList<RegionView> views = ModeOutlet.SenderOf(message).ViewsNow(now);
        Cut(group, message, views, now, out int count);
        _parts.Counters.PacketsSent += (ulong)count;
        Deliver(group, self, message, now);
        _parts.Context.Outlet.Finish(message, now);
        _views.Clear();
        _nextView = 0;
        for (int index = 0; index < views.Count; index++) _views.Add(views[index]);
    }

    // Writes the packets one behind the other.
    private void Cut(LateralGroup group, OutgoingMessage message, IReadOnlyList<RegionView> views, Instant now,
        out int count)
    {
        int longest = LongestDatagram;
        for (int index = 0; index < views.Count; index++)
            longest = Math.Min(longest, _parts.Context.Casts.LongestTo(views[index], _parts.Context.SelfKey));
        ReadOnlySpan<byte> bytes = message.Span;
        int content = ContentOf(longest, BlockOf(group, 0, default), IdOf(group, message.Number, 0));
        if (bytes.Length > content)
        {
            content = ContentOf(
                longest, BlockOf(group, LateralId.MaxFragments, default), IdOf(group, message.Number, 1));
        }
        count = Math.Max(1, (bytes.Length + content - 1) / content);
        int most = DatagramHeader.Length + LateralDataBody.MaxPrefix + LateralBlock.HeadLength + LateralBlock.MaxPrefix
            + content;
        _memory = _parts.Arena.Take(count * most);
        int at = 0;
        _lengths.Clear();
        for (int index = 0; index < count; index++)
        {
            ReadOnlySpan<byte> part = bytes.Slice(index * content, Math.Min(content, bytes.Length - (index * content)));
            int length = Write(group, message.Number, count == 1 ? 0 : (uint)index + 1, (uint)count, part, at, now);
            _lengths.Add(length);
            at += length;
        }
    }

    private int Write(
        LateralGroup group, ulong number, uint fragment, uint count, ReadOnlySpan<byte> part, int at, Instant now)
    {
        Span<byte> room = _memory.Span[at..];
        LateralId id = IdOf(group, number, fragment);
        var writer = new WireWriter(room[DatagramHeader.Length..]);
        LateralDataBody.WritePrefix(ref writer, id, isResend: false);
        int start = DatagramHeader.Length + writer.Written;
        int length = BlockOf(group, count, part).WriteTo(room[start..], id);
        var block = new Slice(_memory.Chunk, _memory.Offset + at + start, length);
        block.Retain();
        _parts.Cache.AddOwned(id, block, now);
        _parts.Repairing.OnPacket(group, id, isOwn: true, now);
        return start + length;
    }

    // The bytes of a message that go into one packet whose block has the head of this one.
    private int ContentOf(int longest, in LateralBlock block, in LateralId id)
    {
        int room = longest - DatagramHeader.Length - LateralRepairBody.SeedLength - LateralBlock.HeadLength
            - block.PrefixLength(id);
        int whole = Math.Min(WholeMessage, room - (_parts.Repairing.Packets * UsualIdLength));
        return Math.Max(LeastContent, Math.Max(room - ManyIds, whole));
    }

    private LateralId IdOf(LateralGroup group, ulong number, uint fragment) =>
        new(_parts.Context.SelfKey, group.Id, number, fragment);

    private static LateralBlock BlockOf(LateralGroup group, uint fragments, ReadOnlySpan<byte> bytes) => new()
    {
        Term = group.Step.Epoch.Term,
        Step = group.Step.Counter,
        FirstInStep = group.FirstInStep,
        BeforeTerm = group.Before.IsNone ? 0 : group.Before.Epoch.Term,
        BeforeStep = group.Before.Counter,
        Fragments = fragments,
        Bytes = bytes,
    };

    private void AddTrains(RegionView view)
    {
        Debug.Assert(!_trains.IsUnderWay && _lengths.Count > 0, "the packets of one message go to a view at a time");
        // Fragments differ in length by a byte or two: each goes alone.
        int at = 0;
        foreach (int length in _lengths)
        {
            Memory<byte> datagram = _memory.Memory.Slice(at, length);
            _parts.Context.Header(DatagramKind.LateralData, view).WriteTo(datagram.Span);
            _trains.Add(view, datagram);
            at += length;
        }
    }

    private void Deliver(LateralGroup group, NodeInfo self, OutgoingMessage message, Instant now)
    {
        if (group.Member is not { } member || message.Step < member.Began) return;
        Slice copy = _parts.Arena.Copy(message.Span);
        member.Deliver(self, new DeliveryBatch(message.Number, copy), now);
        copy.Release();
    }
}
