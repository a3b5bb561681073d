using QuickSilver.Runtime;
using QuickSilver.Testing;

namespace QuickSilver;

/// <content>What tests do with a node.</content>
public sealed partial class QuickSilverNode : ISwitchedNode
{
    async Task ISwitchedNode.CrashAsync()
    {
        _parts.Lifecycle.Stop(new QuickSilverException(ErrorCode.Internal, $"The test crashed the node '{Name}'."));
        await Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    Task ISwitchedNode.TurnAsync() => Task.WhenAny(TakeLongestTurnsAsync(), Completion);

    async Task<NodeWork> ISwitchedNode.LookAsync()
    {
        var seen = new TaskCompletionSource<NodeWork>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!_parts.Services.TryPost(now => seen.SetResult(Look(now)))) return NodeWork.None;
        await Task.WhenAny(seen.Task, Completion).ConfigureAwait(false);
        return seen.Task.IsCompleted ? await seen.Task.ConfigureAwait(false) : NodeWork.None;
    }

    private NodeWork Look(Protocol.Core.Instant now)
    {
        var busy = new List<string>();
        foreach (GroupCore group in Core.Directory.Groups)
        {
            foreach (GroupHandle handle in group.Handles)
            {
                if (handle.Inbox is { IsIdle: false }) busy.Add(group.Name);
            }
        }
        Core.Statistics!.Cut(now);
        NodeStatistics statistics = GetStatistics();
        return new NodeWork(busy, statistics.MessagesSent + statistics.MessagesReceived);
    }
}
