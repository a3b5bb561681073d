using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Somebody who speaks to the server by hand: each registration has a connection of its own, the last of which
/// takes what follows.</summary>
internal sealed class Intruder(MembershipWorld world)
{
    private readonly FrameBuilder _frame = new();
    private long _connection;

    /// <summary>What the server has answered, but for requests to report.</summary>
    public List<byte[]> Answers { get; } = [];

    public void Hello(HelloFrame hello)
    {
        _connection = world.OpenFor(this);
        hello.WriteTo(_frame);
        world.Server.OnFrame(_connection, _frame.Span, world.Now);
    }

    public void Report(Epoch groupEpoch, IEnumerable<ulong> members, ulong[] removed) => Send(frame =>
    {
        ulong[] keys = [.. members];
        frame.Begin(FrameKind.Report).WriteStep(default).WriteStep(default).WriteEpoch(groupEpoch).WriteVarint(0);
        frame.WriteVarint(0);
        frame.WriteVarint(0);
        frame.WriteVarint((ulong)removed.Length);
        foreach (ulong key in removed) frame.WriteVarint(key);
        frame.WriteVarint(keys.Length > 0 ? 1UL : 0);
        if (keys.Length == 0)
        {
            frame.WriteVarint(0);
            return;
        }
        frame.WriteEpoch(groupEpoch).WriteVarint(1).WriteVarint(1).WriteByte(0).WriteEndpoint(default)
            .WriteVarint((ulong)keys.Length);
        ulong last = 0;
        foreach (ulong key in keys)
        {
            frame.WriteSignedVarint(unchecked((long)(key - last)));
            last = key;
        }
        frame.WriteVarint(0).WriteVarint(0).WriteVarint(0);
    });

    public void Send(Action<FrameBuilder> write)
    {
        write(_frame);
        world.Server.OnFrame(_connection, _frame.Span, world.Now);
    }

    public void OnFrame(byte[] frame)
    {
        if (frame[0] != (byte)FrameKind.ReportRequest) Answers.Add(frame);
    }
}
