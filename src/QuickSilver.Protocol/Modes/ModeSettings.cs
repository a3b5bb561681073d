namespace QuickSilver.Protocol.Modes;

/// <summary>The settings of a group at this node, of a type that its mode knows; immutable.</summary>
internal abstract record ModeSettings;
