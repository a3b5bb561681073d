namespace QuickSilver.Sending;

/// <summary>An object of a stage that no message behind it may pass.</summary>
internal interface IStageBarrier;
