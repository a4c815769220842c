include $(sort $(wildcard $(BR2_EXTERNAL_KTALLY_PATH)/package/*/*.mk))
