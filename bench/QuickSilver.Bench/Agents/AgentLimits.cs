namespace QuickSilver.Bench.Agents;

/// <summary>How long agent and coordinator wait for each other. Busy hosts need longer.</summary>
/// <param name="Answer">For an answer to a call, and until what is written is read.</param>
/// <param name="Silence">After so long a silence the other is gone.</param>
internal sealed record AgentLimits(TimeSpan Answer, TimeSpan Silence)
{
    /// <summary>Those of a quiet host.</summary>
    public static AgentLimits Usual { get; } = new(TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(8));

    /// <summary>From two options.</summary>
    public static AgentLimits OfSeconds(double answer, double silence) =>
        new(TimeSpan.FromSeconds(answer), TimeSpan.FromSeconds(silence));
}
