using System.Diagnostics;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Writes a step's notifications, as differences. A node's notification follows from its region before and after the
/// step: its neighbours before and after. So the frames are written once for each pair of regions between which nodes
/// moved, or stayed, and shared by these nodes. Only the descriptions of nodes differ from node to node, by those each
/// knew. A node that publishes reaches regions of its own choice, so its notification is its own.
/// <para>
/// A region is described once to a node that does not know it. A description is complete, or a difference to the region
/// its first node came from, or to the receiver's own. The shortest is taken, and kept for the other receivers that can
/// read it. So a node's 10,001st group costs each receiver one run of counters.
/// </para>
/// <para>
/// Cost of a step: for each pair, the neighbours of both regions; for each node concerned, the new nodes in its
/// neighbourhood. Used for one step at a time.
/// </para>
/// </summary>
/// <param name="nodes">Receive the notifications.</param>
/// <param name="regions">The regions, with the changes of the batch.</param>
/// <param name="publishers">The nodes that publish, with the changes of the same batch.</param>
/// <param name="groups">All groups.</param>
/// <param name="secrets">Writes the keys of opened views; null when the cluster is not secured.</param>
/// <param name="replication">Minimum number of members that cache a packet.</param>
internal sealed class NotificationWriter(
    NodeTable nodes,
    RegionCalculator regions,
    ServerPublishers publishers,
    ServerGroups groups,
    ViewSecrets? secrets,
    int replication)
{
    private const int ShortDescription = 32;

    private static readonly Comparer<(ServerRegion Region, bool WasKnown)> ByRegion =
        Comparer<(ServerRegion Region, bool WasKnown)>.Create((a, b) => a.Region.Number.CompareTo(b.Region.Number));

    private readonly FrameBuilder _frame = new();
    private readonly FrameBuilder _piece = new();
    private readonly EntryFrames _nodeFrames = new(FrameKind.Nodes);
    private readonly EntryFrames _groupFrames = new(FrameKind.Groups);
    private readonly EntryFrames _regionFrames = new(FrameKind.Regions);
    private readonly Dictionary<(uint From, uint To, uint FromHome, uint ToHome), Notice> _notices = [];
    private readonly Dictionary<(uint Region, uint Like), byte[]> _descriptions = [];
    private readonly Dictionary<ServerNode, uint[]> _publishedBefore = [];
    private byte[] _empty = [];
    private ulong _step;

    /// <summary>Begins a step.</summary>
    public void Begin(ulong step)
    {
        Debug.Assert(step > _step, "steps follow each other");
        Debug.Assert(_notices.Count + _descriptions.Count + _publishedBefore.Count == 0, "the step before has ended");
        _step = step;
        foreach ((ServerNode node, uint[] before) in publishers.Changes) _publishedBefore.Add(node, before);
        _empty = _frame.Begin(FrameKind.Step).WriteVarint(step).ToArray();
    }

    /// <summary>Ends the step: every node concerned has been notified. Its frames are dropped; those of thousands of
    /// groups would stay until the next step.</summary>
    public void End()
    {
        _notices.Clear();
        _descriptions.Clear();
        _publishedBefore.Clear();
        _frame.Begin();
        _piece.Begin();
    }

    /// <summary>Notifies a node of a step that does not concern it.</summary>
    public void SendEmpty(ServerNode node) => nodes.Send(node, _empty);

    /// <summary>Notifies a node of the step.</summary>
    /// <param name="move">The node, in its region after the step, and where it was before.</param>
    public void Send(in NodeMove move)
    {
        Debug.Assert(!move.Node.Info.IsRemoved, "removed nodes are told nothing");
        ServerNode node = move.Node;
        bool changed = node.Home != move.FromHome;
        (uint, uint, uint, uint) key = (
            move.From?.Number ?? 0,
            node.Region?.Number ?? 0,
            changed ? move.FromHome?.Number ?? 0 : 0,
            changed ? node.Home?.Number ?? 0 : 0);
        Notice? notice;
        if (publishers.IsPublisher(node) || _publishedBefore.ContainsKey(node)) notice = WriteTo(move);
        else if (!_notices.TryGetValue(key, out notice)) _notices.Add(key, notice = WriteTo(move));
        var unknown = new List<ServerNode>();
        foreach (ServerNode introduced in notice.Introduced)
        {
            if (node.Known.Add(introduced.Slot)) unknown.Add(introduced);
        }
        if (!unknown.SequenceEqual(notice.LastUnknown)) Describe(notice, unknown);
        if (unknown.Count > 0)
        {
            foreach (byte[] frame in notice.NodeFrames) nodes.Send(node, frame);
        }
        if (secrets is not null && notice.Opened.Count > 0) nodes.Send(node, secrets.Write(node, notice.Opened));
        foreach (byte[] frame in notice.Frames) nodes.Send(node, frame);
    }

    private void Describe(Notice notice, List<ServerNode> unknown)
    {
        notice.LastUnknown = unknown;
        notice.NodeFrames = [];
        foreach (ServerNode node in unknown)
        {
            NodeFrame.WriteEntry(_nodeFrames.Entry, node.Info);
            _nodeFrames.EndEntry(notice.NodeFrames);
        }
        _nodeFrames.Flush(notice.NodeFrames);
    }

    /// <summary>Writes a node's notification, which all nodes share that moved alike and do not publish.</summary>
    private Notice WriteTo(in NodeMove move)
    {
        ServerRegion? from = move.From;
        ServerRegion? to = move.Node.Region;
        var notice = new Notice();
        ServerNode node = move.Node;
        uint[] published = _publishedBefore.TryGetValue(node, out uint[]? formerly) ? formerly : node.Published;
        uint[] joined = node.Home is { } home && home != move.FromHome
            ? SortedCounters.Except(home.Groups, move.FromHome?.Groups ?? [])
            : [];
        uint[] publishes = node.Published == published ? [] : SortedCounters.Except(node.Published, published);
        uint[] ceases = node.Published == published ? [] : SortedCounters.Except(published, node.Published);
        WriteGroups(publishes.Length == 0 ? joined : SortedCounters.Union(joined, publishes), notice.Frames);
        IReadOnlyList<ServerRegion> before = publishers.ReachedBefore(node, from);
        IReadOnlyList<ServerRegion> after = ServerPublishers.Reached(node);
        var dropped = new List<ServerRegion>();
        var opened = new List<(ServerRegion Region, bool WasKnown)>();
        for (int b = 0, a = 0; b < before.Count || a < after.Count;)
        {
            if (a == after.Count || (b < before.Count && before[b].Number < after[a].Number))
            {
                dropped.Add(before[b++]);
            }
            else if (b == before.Count || after[a].Number < before[b].Number)
            {
                opened.Add((after[a++], false));
            }
            else
            {
                if (after[a].Current!.FirstStep == _step) opened.Add((after[a], true));
                a++;
                b++;
            }
        }
        DescribeRegions(from, before, opened, notice.Frames);
        BeginStep(to, dropped);
        WriteSenders(from, to, notice);
        WritePublished(publishes, ceases);
        WriteOpened(opened, notice);
        return notice;
    }

    // The receiver knows the regions of its neighbourhood, and the homes of their members.
    private void DescribeRegions(
        ServerRegion? own,
        IReadOnlyList<ServerRegion> known,
        List<(ServerRegion Region, bool WasKnown)> opened,
        List<byte[]> output)
    {
        HashSet<ServerRegion>? homes = null;
        foreach (ServerRegion region in known)
        {
            if (region.ViewBefore(_step)?.Homes is { } before) (homes ??= []).UnionWith(before);
        }
        foreach ((ServerRegion region, bool wasKnown) in opened)
        {
            if (wasKnown || homes?.Contains(region) == true) continue;
            DescribeRegion(region, [region.Origin, own], known, output);
        }
        foreach ((ServerRegion region, bool wasKnown) in opened)
        {
            ServerView view = region.Current!;
            for (int index = wasKnown ? view.FirstAdded : 0; index < view.Homes?.Length; index++)
            {
                ServerRegion home = view.Homes[index];
                if (Contains(known, home) || Opens(opened, home) || !(homes ??= []).Add(home)) continue;
                DescribeRegion(home, [home.Origin, region], known, output);
            }
        }
        _regionFrames.Flush(output);
    }

    private void WriteGroups(uint[] joined, List<byte[]> output)
    {
        foreach (uint counter in joined)
        {
            ServerGroup group = groups.Find(counter);
            GroupFrame.WriteEntry(_groupFrames.Entry, counter, group.Mode, group.Name, group.Address);
            _groupFrames.EndEntry(output);
        }
        _groupFrames.Flush(output);
    }

    private void DescribeRegion(
        ServerRegion region,
        ReadOnlySpan<ServerRegion?> similar,
        IReadOnlyList<ServerRegion> known,
        List<byte[]> output)
    {
        byte[] shortest = Description(region, null);
        int unfolded = region.Groups.Length;
        foreach (ServerRegion? like in similar)
        {
            if (shortest.Length <= ShortDescription || like is null || !Contains(known, like)) continue;
            byte[] description = Description(region, like);
            if (description.Length >= shortest.Length) continue;
            shortest = description;
            unfolded = region.Groups.Length + like.Groups.Length;
        }
        _regionFrames.Entry.WriteBytes(shortest);
        _regionFrames.EndEntry(output, unfolded);
    }

    private byte[] Description(ServerRegion region, ServerRegion? like)
    {
        (uint, uint) key = (region.Number, like?.Number ?? 0);
        if (_descriptions.TryGetValue(key, out byte[]? description)) return description;
        _piece.Begin();
        if (like is null)
        {
            RegionFrame.WriteWhole(_piece, region.Number, region.Groups);
        }
        else
        {
            uint[] plus = SortedCounters.Except(region.Groups, like.Groups);
            uint[] minus = SortedCounters.Except(like.Groups, region.Groups);
            RegionFrame.WriteDifference(_piece, region.Number, like.Number, plus, minus);
        }
        description = _piece.ToArray();
        _descriptions.Add(key, description);
        return description;
    }

    private static bool Opens(List<(ServerRegion Region, bool WasKnown)> opened, ServerRegion region)
    {
        int index = opened.BinarySearch((region, false), ByRegion);
        return index >= 0;
    }

    private static bool Contains(IReadOnlyList<ServerRegion> known, ServerRegion region)
    {
        int low = 0;
        int high = known.Count;
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (known[middle].Number < region.Number) low = middle + 1;
            else high = middle;
        }
        return low < known.Count && known[low] == region;
    }

    private void BeginStep(ServerRegion? to, List<ServerRegion> dropped)
    {
        _frame.Begin(FrameKind.Step).WriteVarint(_step).WriteVarint(to?.Number ?? 0).WriteVarint((ulong)dropped.Count);
        foreach (ServerRegion region in dropped) _frame.WriteVarint(region.Number);
    }

    /// <summary>
    /// Writes the publishers that reach the receiver's region, if they may have changed: all of them, since there are
    /// few as a rule.
    /// </summary>
    private void WriteSenders(ServerRegion? from, ServerRegion? to, Notice notice)
    {
        bool mayHaveChanged = to is not null
            && (to != from || regions.IsTouched(to) || publishers.HasNewSenders(to));
        _frame.WriteByte(mayHaveChanged ? (byte)1 : (byte)0);
        if (!mayHaveChanged) return;
        var senders = new List<ServerNode>();
        foreach (ServerNode sender in to!.Senders)
        {
            if (sender.Region != to) senders.Add(sender);
        }
        _frame.WriteVarint((ulong)senders.Count);
        WriteKeys(senders, notice);
    }

    private void WritePublished(uint[] publishes, uint[] ceases)
    {
        _frame.WriteVarint((ulong)ceases.Length);
        foreach (uint group in ceases) _frame.WriteVarint(group);
        _frame.WriteVarint((ulong)publishes.Length);
        foreach (uint group in publishes) _frame.WriteVarint(group).WriteVarint(_step - groups.Find(group).ChangedIn);
    }

    private void WriteOpened(List<(ServerRegion Region, bool WasKnown)> opened, Notice notice)
    {
        _frame.WriteVarint((ulong)opened.Count);
        foreach ((ServerRegion region, bool wasKnown) in opened)
        {
            ServerView view = region.Current!;
            notice.Opened.Add(view);
            ulong age = _step - view.FirstStep;
            StepFrame.WriteView(_frame, region.Number, view.Number, age, replication, view.Version, view.Multicast);
            int first = wasKnown ? view.FirstAdded : 0;
            _frame.WriteByte(StepFrame.FormOf(wasKnown, view.Homes is not null));
            if (wasKnown) WriteRemoved(view.RemovedIndices);
            _frame.WriteVarint((ulong)(view.Members.Length - first));
            ulong last = 0;
            for (int index = first; index < view.Members.Length; index++)
            {
                ServerNode member = view.Members[index];
                _frame.WriteSignedVarint(unchecked((long)(member.Key - last)));
                last = member.Key;
                if (view.Homes is { } homes)
                    _frame.WriteVarint(homes[index] == region ? 0 : homes[index].Number);
                notice.Introduced.Add(member);
            }
        }
        notice.Frames.Add(_frame.ToArray());
    }

    private void WriteKeys(IReadOnlyList<ServerNode> named, Notice notice)
    {
        ulong last = 0;
        for (int index = 0; index < named.Count; index++)
        {
            ServerNode node = named[index];
            _frame.WriteSignedVarint(unchecked((long)(node.Key - last)));
            last = node.Key;
            notice.Introduced.Add(node);
        }
    }

    private void WriteRemoved(int[] indices)
    {
        _frame.WriteVarint((ulong)indices.Length);
        int next = 0;
        foreach (int index in indices)
        {
            _frame.WriteVarint((ulong)(index - next));
            next = index + 1;
        }
    }

    private sealed class Notice
    {
        public List<byte[]> Frames { get; } = [];

        public List<ServerView> Opened { get; } = [];

        public List<ServerNode> Introduced { get; } = [];

        public List<ServerNode> LastUnknown { get; set; } = [];

        public List<byte[]> NodeFrames { get; set; } = [];
    }
}
