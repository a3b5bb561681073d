using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Runs;

/// <summary>How long processes may take for a part of a run.</summary>
internal static class RunLimit
{
    /// <summary>Waits for what they do; one that fails ends the waiting at once.</summary>
    /// <param name="processes">All of the run.</param>
    /// <param name="task">What is waited for.</param>
    /// <param name="limit">At most so long.</param>
    /// <param name="what">What they do, after "took more than ... s".</param>
    /// <param name="ct">Ends the waiting.</param>
    /// <exception cref="RunFailedException">It took longer, or a process failed.</exception>
    public static async Task WaitAsync(
        IEnumerable<RoleProcess> processes, Task task, TimeSpan limit, string what, CancellationToken ct)
    {
        try
        {
            Task first = await Task.WhenAny([task, .. processes.Select(process => process.Failure)])
                .WaitAsync(limit, ct);
            await first;
        }
        catch (TimeoutException)
        {
            throw new RunFailedException($"the processes took more than {limit.TotalSeconds:N0} s {what}");
        }
    }

    /// <summary>As the other, with a result.</summary>
    public static async Task<T> WaitAsync<T>(
        IEnumerable<RoleProcess> processes, Task<T> task, TimeSpan limit, string what, CancellationToken ct)
    {
        await WaitAsync(processes, (Task)task, limit, what, ct);
        return await task;
    }
}
