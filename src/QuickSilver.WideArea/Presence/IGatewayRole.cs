namespace QuickSilver.WideArea.Presence;

/// <summary>What is told which gateway of the site is the active one. One call at a time.</summary>
internal interface IGatewayRole
{
    /// <summary>This gateway is the active one.</summary>
    Task BeActiveAsync();

    /// <summary>Another gateway is active.</summary>
    /// <param name="other">Name of the node beside it.</param>
    Task StandByAsync(string other);

    /// <summary>The active gateway tells what other sites hold and what is published here.</summary>
    void OnProgress(GatewayProgress progress);
}
