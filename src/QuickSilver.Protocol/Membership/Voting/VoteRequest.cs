using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>
/// A question of one process of an election to another.
/// <code>
/// kind          byte
/// magic         u32      distinguishes the protocol from others on the port
/// version       byte
/// cluster       text     1-255 bytes
/// what          byte     see <see cref="VoteKind"/>
/// asker         voter    its id (u64), place, name (text), weight (byte)
/// ballot        varint
/// served        varint   the term that the asking process serves in, or would
/// members       varint   number of nodes at the server of the asking process
/// duration      varint   milliseconds for which the vote is asked
/// instance      u64      of the electorate; 0: none
/// term          varint   version of the electorate
/// change        varint
/// flags         byte     1: the electorate follows; 2: it is the first of a cluster
/// </code>
/// </summary>
internal sealed record VoteRequest
{
    private const uint Magic = 0x564D5351;
    private const byte Version = 1;
    private const byte ElectorateFlag = 1;
    private const byte FoundingFlag = 2;

    /// <summary>The longest time for which a vote is asked.</summary>
    public static readonly TimeSpan MaxDuration = TimeSpan.FromHours(24);

    /// <summary>The cluster whose server is to be elected.</summary>
    public required string ClusterName { get; init; }

    /// <summary>What is asked.</summary>
    public required VoteKind Kind { get; init; }

    /// <summary>Who asks.</summary>
    public required VoterInfo Asker { get; init; }

    /// <summary>The number of the ballot: the highest one has the vote.</summary>
    public long Ballot { get; init; }

    /// <summary>The term that the asking process serves in, or would serve in.</summary>
    public long Term { get; init; }

    /// <summary>Number of nodes at the server of the asking process.</summary>
    public int Members { get; init; }

    /// <summary>How long the vote is asked for.</summary>
    public TimeSpan Duration { get; init; }

    /// <summary>The cluster instance; 0: none.</summary>
    public ulong Instance { get; init; }

    /// <summary>The electorate whose majority is looked for.</summary>
    public ElectorateVersion Electing { get; init; }

    /// <summary>That electorate; null when the other side may know it.</summary>
    public Electorate? Electorate { get; init; }

    /// <summary>True when the cluster is to be founded: the electorate is its first.</summary>
    public bool IsFounding { get; init; }

    /// <summary>A request for the votes of an electorate.</summary>
    /// <param name="cluster">The cluster.</param>
    /// <param name="asker">Who asks.</param>
    /// <param name="electorate">Whose votes.</param>
    /// <param name="ballot">The number of the ballot.</param>
    /// <param name="term">The term that the asking process serves in, or would serve in.</param>
    /// <param name="duration">How long the votes are asked for.</param>
    public static VoteRequest ForVotes(
        string cluster, VoterInfo asker, Electorate electorate, long ballot, long term, TimeSpan duration) => new()
        {
            ClusterName = cluster,
            Kind = VoteKind.Vote,
            Asker = asker,
            Ballot = ballot,
            Term = term,
            Duration = duration,
            Instance = electorate.Instance,
            Electing = electorate.Version,
        };

    /// <summary>True for a frame of this kind, whatever it contains.</summary>
    public static bool IsOne(ReadOnlySpan<byte> frame) => frame is [(byte)FrameKind.Vote, ..];

    /// <summary>Writes the frame.</summary>
    public void WriteTo(FrameBuilder frame)
    {
        frame.Begin(FrameKind.Vote).WriteUInt32(Magic).WriteByte(Version).WriteText(ClusterName);
        frame.WriteByte((byte)Kind);
        VoteFields.Write(frame, Asker);
        frame.WriteVarint((ulong)Ballot).WriteVarint((ulong)Term).WriteVarint((ulong)Members);
        frame.WriteVarint((ulong)Duration.TotalMilliseconds).WriteUInt64(Instance);
        VoteFields.Write(frame, Electing);
        frame.WriteByte((byte)((Electorate is null ? 0 : ElectorateFlag) | (IsFounding ? FoundingFlag : 0)));
        if (Electorate is not null) VoteFields.Write(frame, Electorate);
    }

    /// <summary>Reads a frame; null when it is malformed or another.</summary>
    public static VoteRequest? TryRead(ReadOnlySpan<byte> bytes)
    {
        var reader = new WireReader(bytes);
        bool known = reader.ReadByte() == (byte)FrameKind.Vote & reader.ReadUInt32() == Magic
            & reader.ReadByte() == Version;
        if (!known) return null;
        string cluster = FrameFields.ReadName(ref reader);
        var kind = (VoteKind)reader.ReadByte();
        VoterInfo asker = VoteFields.ReadVoter(ref reader);
        long ballot = (long)reader.ReadVarint(long.MaxValue);
        long term = (long)reader.ReadVarint(long.MaxValue);
        int members = (int)reader.ReadVarint(int.MaxValue);
        ulong duration = reader.ReadVarint((ulong)MaxDuration.TotalMilliseconds);
        ulong instance = reader.ReadUInt64();
        ElectorateVersion version = VoteFields.ReadVersion(ref reader);
        byte flags = reader.ReadByte();
        Electorate? electorate = (flags & ElectorateFlag) != 0
            ? VoteFields.ReadElectorate(ref reader, instance, version)
            : null;
        bool isGood = reader.IsAtEnd && cluster.Length > 0 && flags <= (ElectorateFlag | FoundingFlag)
            && kind is >= VoteKind.Look and <= VoteKind.Dissolve && (electorate is null || instance != 0);
        return !isGood ? null : new VoteRequest
        {
            ClusterName = cluster,
            Kind = kind,
            Asker = asker,
            Ballot = ballot,
            Term = term,
            Members = members,
            Duration = TimeSpan.FromMilliseconds(duration),
            Instance = instance,
            Electing = version,
            Electorate = electorate,
            IsFounding = (flags & FoundingFlag) != 0,
        };
    }
}
