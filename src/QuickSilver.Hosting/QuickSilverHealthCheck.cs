using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace QuickSilver.Hosting;

/// <summary>Judges a hosted node, afresh at each call. Evicted, stopped, or a group that has ended: unhealthy. Reasons
/// to look, with the node in its cluster: degraded.</summary>
internal sealed class QuickSilverHealthCheck(HostedNode hosted, QuickSilverHealthOptions options) : IHealthCheck
{
    /// <inheritdoc/>
    public async Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        if (hosted.Current is not { } node)
            return new HealthCheckResult(context.Registration.FailureStatus, "the node has not started");
        (NodeStatistics figures, bool isFresh) = await ReadAsync(node, cancellationToken).ConfigureAwait(false);
        List<string> bad = [.. Failures(node)];
        List<string> odd = [.. hosted.Health.Note(figures, options.Memory), .. Doubts(node, figures, isFresh)];
        var data = new Dictionary<string, object>
        {
            ["state"] = node.State.ToString(),
            ["members"] = figures.Members,
            ["groups"] = figures.Groups,
            ["messages.lost"] = figures.MessagesLost,
            ["loop.utilization"] = figures.LoopUtilization,
        };
        if (bad.Count > 0)
            return new HealthCheckResult(
                context.Registration.FailureStatus, string.Join("; ", bad.Concat(odd)), hosted.Failure, data);
        return odd.Count > 0
            ? HealthCheckResult.Degraded(string.Join("; ", odd), data: data)
            : HealthCheckResult.Healthy($"{node.Name} is in its cluster", data);
    }

    private IEnumerable<string> Failures(QuickSilverNode node)
    {
        if (node.State is NodeState.Evicted) yield return "the node was removed from the cluster, and returns";
        if (node.State is NodeState.Stopping or NodeState.Stopped) yield return "the node has stopped";
        foreach (HostedSender sender in hosted.Handles.Senders)
        {
            if (sender.EndReason is { } reason) yield return $"{sender.What} has ended: {reason.Message}";
            else if (sender is HostedGroup { HandlersEnded: { } fault } group)
                yield return $"the handlers of group '{group.Name}' are called no more: {fault.Message}";
        }
        foreach (HostedRequests requests in hosted.Handles.Requests)
        {
            if (requests.EndReason is { } reason)
                yield return $"request group '{requests.Name}' has ended: {reason.Message}";
        }
    }

    private IEnumerable<string> Doubts(QuickSilverNode node, NodeStatistics figures, bool isFresh)
    {
        if (node.State == NodeState.MembershipLost) yield return "the membership server is out of reach";
        if (node.State == NodeState.WaitingForMajority)
            yield return $"the membership server waits for {figures.MembersMissing} members";
        if (!isFresh) yield return $"the core thread has not answered within {options.Patience}";
        if (figures.LoopUtilization > options.MaxLoopUtilization)
            yield return $"the core thread works {figures.LoopUtilization:P0} of the time";
        if (hosted.Health.Unicast is { } reason) yield return $"packets travel by unicast: {reason}";
        if (figures.UnicastMembers > 0) yield return $"{figures.UnicastMembers} members get copies by unicast";
        foreach (HostedSender sender in hosted.Handles.Senders)
        {
            if (sender is { EndReason: null, Sender: null, Following: not null })
                yield return $"{sender.What} is being joined again";
        }
        foreach (string site in hosted.Gateway?.SitesOutOfReach() ?? []) yield return $"site '{site}' is out of reach";
        foreach (HostedRequests requests in hosted.Handles.Requests)
        {
            if (!requests.IsJoined) yield return $"request group '{requests.Name}' is being joined again";
        }
    }

    private async Task<(NodeStatistics Figures, bool IsFresh)> ReadAsync(
        QuickSilverNode node, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(options.Patience);
        try
        {
            return (await node.GetStatisticsAsync(limit.Token).ConfigureAwait(false), true);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return (node.GetStatistics(), false);
        }
    }
}
