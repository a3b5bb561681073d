using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// A step, as far as it concerns the receiver. Its nodes, groups and regions were described before. Nodes that move
/// from one region to the same other region get the same frame.
/// <code>
/// kind      byte
/// step      varint   one more than the last; a step that does not concern the receiver ends here
/// own       varint   the receiver's region after the step; 0: none
/// dropped   varint   regions that have no members left, or no group in common with the receiver
/// each:
///   region    varint
/// senders   byte     0: the publishers that reach the receiver's region are those of before; 1: they follow
/// form 1:
///   count     varint   nodes, members of the region excluded
///   each:
///     node      signed   key less the one before, which is 0 for the first
/// ceases    varint   groups that the receiver ceases to publish to
/// each:
///   group     varint   rising
/// publishes varint   groups that the receiver publishes to from this step on
/// each:
///   group     varint   rising
///   age       varint   the step less the one that last changed the group's members; all of it: it has had none
/// opened    varint   views that begin with this step, or that the receiver learns of
/// each:
///   region       varint
///   view         varint
///   age          varint     the step less the view's first step
///   replication  varint     at least 1
///   version      byte       of the protocol, in the view
///   multicast    endpoint   none (0, 0): unicast
///   form         byte       1: difference to the region's last view; 2: the region is merged; or their sum; 0: neither
///   removed      varint     form 1: members of the last view that are not in this one
///   each:
///     index        varint   in the last view, less the index before plus one
///   added        varint     members that come after the others
///   each:
///     node         signed   key less the one before, which is 0 for the first
///     home         varint   form 2 and 3: the region of exactly the node's groups; 0: the view's
/// </code>
/// </summary>
internal sealed class StepFrame
{
    private const int ShortestEntry = 12;
    private const byte DifferenceForm = 1;
    private const byte MergedForm = 2;

    /// <summary>Counter of the step.</summary>
    public ulong Step { get; private init; }

    /// <summary>True when the step concerns the receiver; otherwise the rest is empty.</summary>
    public bool IsConcerned { get; private init; }

    /// <summary>The receiver's region after the step; 0: none.</summary>
    public uint OwnRegion { get; private init; }

    /// <summary>Regions that no longer concern the receiver.</summary>
    public uint[] Dropped { get; private init; } = [];

    /// <summary>
    /// Keys of the publishers that reach the receiver's region; null when they are those of before.
    /// </summary>
    public ulong[]? Senders { get; private init; }

    /// <summary>Groups that the receiver ceases to publish to, rising.</summary>
    public uint[] Ceases { get; private init; } = [];

    /// <summary>
    /// Groups that the receiver publishes to from now on, rising, each with the step that last changed its members.
    /// </summary>
    public (uint Group, ulong ChangedIn)[] Publishes { get; private init; } = [];

    /// <summary>Views that begin, or that the receiver learns of.</summary>
    public List<ViewEntry> Opened { get; private init; } = [];

    /// <summary>Writes the part that all frames with a view share, up to its members.</summary>
    public static void WriteView(
        FrameBuilder frame, uint region, uint view, ulong age, int replication, byte version, NetEndpoint multicast)
    {
        frame.WriteVarint(region).WriteVarint(view).WriteVarint(age).WriteVarint((ulong)replication);
        frame.WriteByte(version).WriteEndpoint(multicast);
    }

    /// <summary>The form of a view's entry.</summary>
    public static byte FormOf(bool isDifference, bool isMerged) =>
        (byte)((isDifference ? DifferenceForm : 0) | (isMerged ? MergedForm : 0));

    /// <summary>Reads a body; null when it is malformed.</summary>
    public static StepFrame? TryRead(ref WireReader reader)
    {
        ulong step = reader.ReadVarint();
        if (reader.IsAtEnd) return new StepFrame { Step = step };
        uint own = (uint)reader.ReadVarint(uint.MaxValue);
        uint[] dropped = new uint[FrameFields.ReadCount(ref reader, 1)];
        for (int index = 0; index < dropped.Length; index++) dropped[index] = FrameFields.ReadCounter(ref reader);
        ulong[]? senders = ReadSenders(ref reader);
        uint[] ceases = ReadCeases(ref reader);
        (uint, ulong)[] publishes = ReadPublishes(ref reader, step);
        int count = FrameFields.ReadCount(ref reader, ShortestEntry);
        var opened = new List<ViewEntry>(count);
        for (int index = 0; index < count && !reader.Failed; index++) opened.Add(ReadView(ref reader, step));
        if (!reader.IsAtEnd) return null;
        return new StepFrame
        {
            Step = step,
            IsConcerned = true,
            OwnRegion = own,
            Dropped = dropped,
            Senders = senders,
            Ceases = ceases,
            Publishes = publishes,
            Opened = opened,
        };
    }

    private static ulong[]? ReadSenders(ref WireReader reader)
    {
        byte form = reader.ReadByte();
        if (form > 1) reader.Fail();
        return form == 1 ? FrameFields.ReadKeys(ref reader) : null;
    }

    private static uint[] ReadCeases(ref WireReader reader)
    {
        uint[] ceases = new uint[FrameFields.ReadCount(ref reader, 1)];
        for (int index = 0; index < ceases.Length && !reader.Failed; index++)
        {
            ceases[index] = FrameFields.ReadCounter(ref reader);
            if (index > 0 && ceases[index] <= ceases[index - 1]) reader.Fail();
        }
        return ceases;
    }

    private static (uint Group, ulong ChangedIn)[] ReadPublishes(ref WireReader reader, ulong step)
    {
        var publishes = new (uint Group, ulong ChangedIn)[FrameFields.ReadCount(ref reader, 2)];
        uint last = 0;
        for (int index = 0; index < publishes.Length && !reader.Failed; index++)
        {
            uint group = FrameFields.ReadCounter(ref reader);
            if (group <= last) reader.Fail();
            last = group;
            publishes[index] = (group, step - reader.ReadVarint(step));
        }
        return publishes;
    }

    private static ViewEntry ReadView(ref WireReader reader, ulong step)
    {
        uint region = FrameFields.ReadCounter(ref reader);
        uint view = FrameFields.ReadCounter(ref reader);
        ulong age = reader.ReadVarint(step);
        int replication = (int)reader.ReadVarint(int.MaxValue);
        byte version = reader.ReadByte();
        NetEndpoint multicast = FrameFields.ReadEndpoint(ref reader);
        byte form = reader.ReadByte();
        bool isKnown = ProtocolVersions.All.Contains(version) && form <= (DifferenceForm | MergedForm);
        if (replication == 0 || !isKnown) reader.Fail();
        bool isDifference = (form & DifferenceForm) != 0;
        bool isMerged = (form & MergedForm) != 0;
        int[] removed = new int[isDifference ? FrameFields.ReadCount(ref reader, 1) : 0];
        long index = -1;
        for (int position = 0; position < removed.Length; position++)
        {
            index += (long)reader.ReadVarint(int.MaxValue) + 1;
            if (index > int.MaxValue) reader.Fail();
            removed[position] = (int)index;
        }
        ulong[] added = new ulong[FrameFields.ReadCount(ref reader, isMerged ? 2 : 1)];
        uint[] homes = new uint[isMerged ? added.Length : 0];
        ulong key = 0;
        for (int position = 0; position < added.Length && !reader.Failed; position++)
        {
            key = unchecked(key + (ulong)reader.ReadSignedVarint());
            if (!FrameFields.IsKey(key)) reader.Fail();
            added[position] = key;
            if (isMerged) homes[position] = (uint)reader.ReadVarint(uint.MaxValue);
        }
        return new ViewEntry(
            region, view, step - age, replication, version, multicast, isDifference, isMerged, removed, added, homes);
    }

    /// <summary>One view as read.</summary>
    /// <param name="Region">Counter of the view's region.</param>
    /// <param name="View">Counter of the view.</param>
    /// <param name="FirstStep">Counter of the view's first step.</param>
    /// <param name="Replication">Minimum number of members that cache a packet.</param>
    /// <param name="Version">The version of the protocol in the view.</param>
    /// <param name="Multicast">The view's address; none: unicast.</param>
    /// <param name="IsDifference">True when its members are given as changes to those of the region's last
    /// view.</param>
    /// <param name="IsMerged">True when members are in some of the region's groups each.</param>
    /// <param name="Removed">Indices in the last view of members that are not in this one, rising.</param>
    /// <param name="Added">Keys of the members that come after the others.</param>
    /// <param name="Homes">Counters of the regions of exactly their groups, 0 for the view's region; empty unless the
    /// region is merged.</param>
    internal readonly record struct ViewEntry(
        uint Region,
        uint View,
        ulong FirstStep,
        int Replication,
        byte Version,
        NetEndpoint Multicast,
        bool IsDifference,
        bool IsMerged,
        int[] Removed,
        ulong[] Added,
        uint[] Homes);
}
