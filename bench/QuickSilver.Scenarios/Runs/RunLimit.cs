using QuickSilver.Scenarios.Roles;

namespace QuickSilver.Scenarios.Runs;

/// <summary>How long processes may take for a part of a run.</summary>
internal static class RunLimit
{
    /// <summary>Waits for what they do.</summary>
    /// <param name="task">That.</param>
    /// <param name="limit">At most so long.</param>
    /// <param name="what">What they do, after "took more than ... s".</param>
    /// <param name="ct">Ends the waiting.</param>
    /// <exception cref="RunFailedException">It took longer.</exception>
    public static async Task WaitAsync(Task task, TimeSpan limit, string what, CancellationToken ct)
    {
        try
        {
            await task.WaitAsync(limit, ct);
        }
        catch (TimeoutException)
        {
            throw new RunFailedException($"the processes took more than {limit.TotalSeconds:N0} s {what}");
        }
    }

    /// <summary>As the other, with a result.</summary>
    public static async Task<T> WaitAsync<T>(Task<T> task, TimeSpan limit, string what, CancellationToken ct)
    {
        await WaitAsync((Task)task, limit, what, ct);
        return await task;
    }
}
