using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Voting;
using Xunit;
using static QuickSilver.Protocol.Tests.Membership.Voting.Polls;

namespace QuickSilver.Protocol.Tests.Membership.Voting;

public sealed class VoteFrameTests
{
    private static readonly Electorate Joint = Of(Info(1), Info(2)).ChangeTo([Info(1), Info(3)]);

    [Fact]
    public void A_request_is_read_as_it_was_written()
    {
        VoteRequest request = Ask(Info(1), Joint, 12) with { Term = 11 };
        VoteRequest read = VoteRequest.TryRead(Bytes(request))!;
        Assert.Equal(request with { Electorate = null }, read with { Electorate = null });
        AssertSame(Joint, read.Electorate!);
    }

    [Fact]
    public void An_answer_is_read_as_it_was_written()
    {
        var answer = new VoteAnswer
        {
            Verdict = VoteVerdict.OlderElectorate,
            Voter = Info(2),
            Ballot = 12,
            Instance = Joint.Instance,
            Known = Joint.Version,
            Electorate = Joint,
            Leader = Info(3),
            LeaderTerm = 11,
        };
        VoteAnswer read = VoteAnswer.TryRead(Bytes(answer))!;
        Assert.Equal(answer with { Electorate = null }, read with { Electorate = null });
        AssertSame(Joint, read.Electorate!);
    }

    [Fact]
    public void Whatever_is_cut_or_changed_is_read_or_dropped()
    {
        byte[] request = Bytes(Ask(Info(1), Joint, 12));
        byte[] answer = Bytes(new VoteAnswer
        {
            Verdict = VoteVerdict.Held,
            Voter = Info(2),
            Instance = Joint.Instance,
            Known = Joint.Version,
            Electorate = Joint,
        });
        foreach (byte[] frame in new[] { request, answer })
        {
            for (int length = 0; length < frame.Length; length++)
            {
                Assert.Null(VoteRequest.TryRead(frame.AsSpan(0, length)));
                Assert.Null(VoteAnswer.TryRead(frame.AsSpan(0, length)));
            }
            for (int index = 0; index < frame.Length; index++)
            {
                foreach (byte value in new byte[] { 0, 1, 0x7F, 0x80, 0xFF })
                {
                    byte[] other = [.. frame];
                    other[index] = value;
                    if (VoteRequest.TryRead(other) is { } read) Assert.Equal(other, Bytes(read));
                    if (VoteAnswer.TryRead(other) is { } again) Assert.Equal(other, Bytes(again));
                }
            }
        }
    }

    [Fact]
    public void Nobody_votes_twice()
    {
        Electorate twice = Of(Info(1), Info(1));
        Assert.Null(VoteRequest.TryRead(Bytes(Ask(Info(1), twice, 12))));
        Assert.Null(VoteRequest.TryRead(Bytes(Ask(Info(1), Of(), 12))));
        Assert.Null(VoteRequest.TryRead(Bytes(Ask(Info(1, weight: 101), Joint, 12))));
    }

    private static void AssertSame(Electorate expected, Electorate actual)
    {
        Assert.Equal((expected.Instance, expected.Version), (actual.Instance, actual.Version));
        Assert.Equal(expected.Voters, actual.Voters);
        Assert.Equal(expected.Former, actual.Former);
    }

    private static byte[] Bytes(VoteRequest request)
    {
        var frame = new FrameBuilder();
        request.WriteTo(frame);
        return frame.ToArray();
    }

    private static byte[] Bytes(VoteAnswer answer)
    {
        var frame = new FrameBuilder();
        answer.WriteTo(frame);
        return frame.ToArray();
    }
}
