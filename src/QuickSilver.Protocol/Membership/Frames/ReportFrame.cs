using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// A node's knowledge of the cluster: all that a server needs to take over from another one.
/// <code>
/// kind      byte
/// installed step     the last step; none: counter 0 (varint), and no epoch
/// active    step     the last step that the node was allowed to send in
/// term      varint   epoch of all group ids
/// server    u64
/// lost      varint   milliseconds since the node lost its server, at most those of a day
/// groups    varint   groups that the node is in
/// each:
///   counter   varint   rising
///   mode      byte
///   name      text     1-255 bytes
///   [hybrid]  endpoint the group's multicast address; none: 0, 0
/// published as groups: those that the node publishes to
/// removed   varint   nodes that the node knows to be removed
/// each:
///   node      varint   key
/// views     varint   unretired views that the node knows
/// each:
///   term      varint
///   server    u64
///   view      varint
///   first     varint   counter of its first step, of the same epoch
///   flags     byte     1: the node was allowed to send in that step, or in a later one; 2: the node is done with it
///   multicast endpoint   none: 0, 0
///   members   varint
///   each:
///     node      signed   key less the one before, which is 0 for the first
///   senders   varint   publishers that reached the view while the node was in it; none when it was not
///   each:
///     node      signed   as members
///   open      varint   removed senders whose streams to the view are not closed at the node
///   each:
///     node      varint   key
/// nodes     as in <see cref="NodeFrame"/>: live members and senders of those views, except the node itself. So a
/// missing one has a name, and is recognised when it returns as another process
/// </code>
/// </summary>
internal sealed class ReportFrame
{
    private const byte ActivatedFlag = 1;
    private const byte DoneFlag = 2;
    private const int ShortestGroup = 4;
    private const int ShortestView = 20;
    // The longest absence of a server that a report tells of.
    private static readonly TimeSpan LongestLoss = TimeSpan.FromDays(1);

    /// <summary>The last step installed.</summary>
    public StepNumber Installed { get; private init; }

    /// <summary>The last step that the node was allowed to send in.</summary>
    public StepNumber Active { get; private init; }

    /// <summary>Epoch of all group ids.</summary>
    public Epoch GroupEpoch { get; private init; }

    /// <summary>How long ago the node lost its server.</summary>
    public TimeSpan LostFor { get; private init; }

    /// <summary>Groups that the node is in, by id.</summary>
    public List<GroupInfo> Groups { get; private init; } = [];

    /// <summary>Groups that the node publishes to, by id.</summary>
    public List<GroupInfo> Published { get; private init; } = [];

    /// <summary>Keys of nodes that are removed.</summary>
    public ulong[] Removed { get; private init; } = [];

    /// <summary>
    /// True for a node that is in no group and sends nowhere: it can get another number without effect.
    /// </summary>
    public bool IsEmpty => Groups.Count + Published.Count + Views.Count == 0;

    /// <summary>Views that have not retired.</summary>
    public List<ViewEntry> Views { get; private init; } = [];

    /// <summary>Members of the views.</summary>
    public List<NodeInfo> Nodes { get; private init; } = [];

    /// <summary>Writes how long ago the node lost its server.</summary>
    public static void WriteLoss(FrameBuilder frame, TimeSpan ago) =>
        frame.WriteVarint((ulong)(ago < LongestLoss ? ago : LongestLoss).TotalMilliseconds);

    /// <summary>Writes a view.</summary>
    public static void WriteView(
        FrameBuilder frame, RegionView view, bool isActivated, bool isDone, ulong[] senders, ulong[] open)
    {
        frame.WriteEpoch(view.Number.Epoch).WriteVarint(view.Number.Counter).WriteVarint(view.FirstStep.Counter);
        frame.WriteByte((byte)((isActivated ? ActivatedFlag : 0) | (isDone ? DoneFlag : 0)));
        frame.WriteEndpoint(view.Multicast).WriteVarint((ulong)view.Members.Length);
        ulong last = 0;
        foreach (NodeInfo member in view.Members)
        {
            frame.WriteSignedVarint(unchecked((long)(member.Number.Key - last)));
            last = member.Number.Key;
        }
        frame.WriteVarint((ulong)senders.Length);
        last = 0;
        foreach (ulong key in senders)
        {
            frame.WriteSignedVarint(unchecked((long)(key - last)));
            last = key;
        }
        frame.WriteVarint((ulong)open.Length);
        foreach (ulong key in open) frame.WriteVarint(key);
    }

    /// <summary>Reads a frame; null when it is malformed.</summary>
    public static ReportFrame? TryRead(ReadOnlySpan<byte> bytes)
    {
        var reader = new WireReader(bytes);
        if (reader.ReadByte() != (byte)FrameKind.Report) return null;
        StepNumber installed = FrameFields.ReadStep(ref reader);
        StepNumber active = FrameFields.ReadStep(ref reader);
        if (active > installed) reader.Fail();
        Epoch groupEpoch = FrameFields.ReadEpoch(ref reader);
        ulong lost = reader.ReadVarint((ulong)LongestLoss.TotalMilliseconds);
        List<GroupInfo> groups = ReadGroups(ref reader, groupEpoch);
        List<GroupInfo> published = ReadGroups(ref reader, groupEpoch);
        ulong[] removed = new ulong[FrameFields.ReadCount(ref reader, 1)];
        for (int index = 0; index < removed.Length && !reader.Failed; index++)
            removed[index] = FrameFields.ReadKey(ref reader);
        int count = FrameFields.ReadCount(ref reader, ShortestView);
        var views = new List<ViewEntry>(count);
        for (int index = 0; index < count && !reader.Failed; index++) views.Add(ReadView(ref reader));
        List<NodeInfo> nodes = NodeFrame.ReadEntries(ref reader);
        if (!reader.IsAtEnd) return null;
        return new ReportFrame
        {
            Installed = installed,
            Active = active,
            GroupEpoch = groupEpoch,
            LostFor = TimeSpan.FromMilliseconds(lost),
            Groups = groups,
            Published = published,
            Removed = removed,
            Views = views,
            Nodes = nodes,
        };
    }

    private static List<GroupInfo> ReadGroups(ref WireReader reader, Epoch epoch)
    {
        int count = FrameFields.ReadCount(ref reader, ShortestGroup);
        var groups = new List<GroupInfo>(count);
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            GroupInfo group = GroupFrame.ReadEntry(ref reader, epoch);
            if (index > 0 && groups[^1].Id >= group.Id) reader.Fail();
            groups.Add(group);
        }
        return groups;
    }

    private static ViewEntry ReadView(ref WireReader reader)
    {
        var number = new ViewNumber(FrameFields.ReadEpoch(ref reader), FrameFields.ReadCounter(ref reader));
        var first = new StepNumber(number.Epoch, reader.ReadVarint());
        byte flags = reader.ReadByte();
        if (flags > (ActivatedFlag | DoneFlag)) reader.Fail();
        NetEndpoint multicast = FrameFields.ReadEndpoint(ref reader);
        ulong[] members = FrameFields.ReadKeys(ref reader);
        ulong[] senders = FrameFields.ReadKeys(ref reader);
        ulong[] open = new ulong[FrameFields.ReadCount(ref reader, 1)];
        for (int index = 0; index < open.Length && !reader.Failed; index++)
            open[index] = FrameFields.ReadKey(ref reader);
        bool isActivated = (flags & ActivatedFlag) != 0;
        bool isDone = (flags & DoneFlag) != 0;
        return new ViewEntry(number, first, isActivated, isDone, multicast, members, senders, open);
    }

    /// <summary>One view as read.</summary>
    /// <param name="Number">The view's number.</param>
    /// <param name="FirstStep">The view's first step.</param>
    /// <param name="IsActivated">True when the node was allowed to send in that step, or in a later one.</param>
    /// <param name="IsDone">True when the node is done with the view.</param>
    /// <param name="Multicast">The view's multicast address; none: unicast.</param>
    /// <param name="Members">Keys of the view's members.</param>
    /// <param name="Senders">Keys of the publishers that reached the view.</param>
    /// <param name="Open">Keys of removed senders whose streams to the view are not closed at the node.</param>
    internal readonly record struct ViewEntry(
        ViewNumber Number,
        StepNumber FirstStep,
        bool IsActivated,
        bool IsDone,
        NetEndpoint Multicast,
        ulong[] Members,
        ulong[] Senders,
        ulong[] Open);
}
