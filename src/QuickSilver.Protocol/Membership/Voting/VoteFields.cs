using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>Fields that the frames of elections share. Reading is total.</summary>
internal static class VoteFields
{
    /// <summary>Writes a voter: id (u64), place, name (text), weight (byte).</summary>
    public static void Write(FrameBuilder frame, VoterInfo voter) => frame.WriteUInt64(voter.Id)
        .WriteEndpoint(voter.Place).WriteText(voter.Name).WriteByte((byte)voter.Weight);

    /// <summary>Writes a version: term and change, each a varint.</summary>
    public static void Write(FrameBuilder frame, ElectorateVersion version) =>
        frame.WriteVarint((ulong)version.Term).WriteVarint(version.Change);

    /// <summary>Writes the voters of an electorate: their number (varint) and each, and the same of the former
    /// ones.</summary>
    public static void Write(FrameBuilder frame, Electorate electorate)
    {
        Write(frame, electorate.Voters);
        Write(frame, electorate.Former);
    }

    /// <summary>Reads a voter.</summary>
    public static VoterInfo ReadVoter(ref WireReader reader)
    {
        ulong id = reader.ReadUInt64();
        NetEndpoint place = FrameFields.ReadEndpoint(ref reader);
        string name = FrameFields.ReadName(ref reader);
        byte weight = reader.ReadByte();
        if (id == 0 || place.IsNone || weight > VoterInfo.MaxWeight) reader.Fail();
        return new VoterInfo(id, place, name, weight);
    }

    /// <summary>Reads a version.</summary>
    public static ElectorateVersion ReadVersion(ref WireReader reader) =>
        new((long)reader.ReadVarint(long.MaxValue), (uint)reader.ReadVarint(uint.MaxValue));

    /// <summary>Reads the voters of an electorate: at least one, none of them twice.</summary>
    public static Electorate ReadElectorate(ref WireReader reader, ulong instance, ElectorateVersion version)
    {
        VoterInfo[] voters = ReadVoters(ref reader);
        VoterInfo[] former = ReadVoters(ref reader);
        if (voters.Length == 0) reader.Fail();
        return new Electorate(instance, version, voters, former);
    }

    private static void Write(FrameBuilder frame, IReadOnlyList<VoterInfo> voters)
    {
        frame.WriteVarint((ulong)voters.Count);
        foreach (VoterInfo voter in voters) Write(frame, voter);
    }

    private static VoterInfo[] ReadVoters(ref WireReader reader)
    {
        int count = FrameFields.ReadCount(ref reader, VoterInfo.MinBytes);
        if (count > Electorate.MaxVoters) reader.Fail();
        if (reader.Failed) return [];
        var voters = new VoterInfo[count];
        var ids = new HashSet<ulong>(count);
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            voters[index] = ReadVoter(ref reader);
            if (!ids.Add(voters[index].Id)) reader.Fail();
        }
        return voters;
    }
}
