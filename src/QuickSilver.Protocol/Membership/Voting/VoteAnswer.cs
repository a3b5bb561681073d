using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>
/// The answer to a <see cref="VoteRequest"/>.
/// <code>
/// kind          byte
/// verdict       byte     see <see cref="VoteVerdict"/>
/// voter         voter    who answers
/// ballot        varint   the highest one voted in
/// instance      u64      of the known electorate; 0: none
/// term          varint   its version
/// change        varint
/// members       varint   number of nodes at its server; 0: it does not serve
/// flags         byte     1: the electorate follows; 2: the one that serves follows, as far as is known:
///   leader        voter
///   served        varint   its term
///   instance      u64      its cluster
/// </code>
/// </summary>
internal sealed record VoteAnswer
{
    private const byte ElectorateFlag = 1;
    private const byte LeaderFlag = 2;

    /// <summary>The answer.</summary>
    public required VoteVerdict Verdict { get; init; }

    /// <summary>Who answers.</summary>
    public required VoterInfo Voter { get; init; }

    /// <summary>The highest ballot that it has voted in.</summary>
    public long Ballot { get; init; }

    /// <summary>The cluster instance that it belongs to; 0: none.</summary>
    public ulong Instance { get; init; }

    /// <summary>The version of the electorate that it knows.</summary>
    public ElectorateVersion Known { get; init; }

    /// <summary>Number of nodes at its server; 0: it does not serve.</summary>
    public int Members { get; init; }

    /// <summary>That electorate, if the asking process knows an older one.</summary>
    public Electorate? Electorate { get; init; }

    /// <summary>The process that has its vote; null for none.</summary>
    public VoterInfo? Leader { get; init; }

    /// <summary>The term of that process.</summary>
    public long LeaderTerm { get; init; }

    /// <summary>The instance of the cluster that it serves.</summary>
    public ulong LeaderInstance { get; init; }

    /// <summary>Writes the frame.</summary>
    public void WriteTo(FrameBuilder frame)
    {
        frame.Begin(FrameKind.VoteAnswer).WriteByte((byte)Verdict);
        VoteFields.Write(frame, Voter);
        frame.WriteVarint((ulong)Ballot).WriteUInt64(Instance);
        VoteFields.Write(frame, Known);
        frame.WriteVarint((ulong)Members);
        frame.WriteByte((byte)((Electorate is null ? 0 : ElectorateFlag) | (Leader is null ? 0 : LeaderFlag)));
        if (Electorate is not null) VoteFields.Write(frame, Electorate);
        if (Leader is null) return;
        VoteFields.Write(frame, Leader);
        frame.WriteVarint((ulong)LeaderTerm).WriteUInt64(LeaderInstance);
    }

    /// <summary>Reads a frame; null when it is malformed or another.</summary>
    public static VoteAnswer? TryRead(ReadOnlySpan<byte> bytes)
    {
        var reader = new WireReader(bytes);
        if (reader.ReadByte() != (byte)FrameKind.VoteAnswer) return null;
        var verdict = (VoteVerdict)reader.ReadByte();
        VoterInfo voter = VoteFields.ReadVoter(ref reader);
        long ballot = (long)reader.ReadVarint(long.MaxValue);
        ulong instance = reader.ReadUInt64();
        ElectorateVersion version = VoteFields.ReadVersion(ref reader);
        int members = (int)reader.ReadVarint(int.MaxValue);
        byte flags = reader.ReadByte();
        Electorate? electorate = (flags & ElectorateFlag) != 0
            ? VoteFields.ReadElectorate(ref reader, instance, version)
            : null;
        bool hasLeader = (flags & LeaderFlag) != 0;
        VoterInfo? leader = hasLeader ? VoteFields.ReadVoter(ref reader) : null;
        long term = hasLeader ? (long)reader.ReadVarint(long.MaxValue) : 0;
        ulong served = hasLeader ? reader.ReadUInt64() : 0;
        bool isGood = reader.IsAtEnd && flags <= (ElectorateFlag | LeaderFlag)
            && verdict is >= VoteVerdict.Granted and <= VoteVerdict.NotHere && (electorate is null || instance != 0);
        return !isGood ? null : new VoteAnswer
        {
            Verdict = verdict,
            Voter = voter,
            Ballot = ballot,
            Instance = instance,
            Known = version,
            Members = members,
            Electorate = electorate,
            Leader = leader,
            LeaderTerm = term,
            LeaderInstance = served,
        };
    }
}
